#include "runtime/tensor_pb.h"

#include <gmock/gmock.h>

#include <random>

#include "octavo/error.h"
#include "proto/onnx.pb.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ReadTensorPb : public ::testing::Test {
 protected:
  NamedTensor read(const std::string& bytes) {
    testing::write_file(folder_ / "t.pb", bytes);
    return read_tensor_pb(folder_ / "t.pb");
  }
  NamedTensor read(const onnx::TensorProto& proto) {
    return read(proto.SerializeAsString());
  }
  template <typename T>
  std::string refusal(const T& input) {
    try {
      read(input);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was refused";
  }

  static onnx::TensorProto proto(DType type, const Shape& shape) {
    onnx::TensorProto out;
    out.set_data_type(static_cast<int>(type));
    for (int64_t d : shape) out.add_dims(d);
    return out;
  }

  testing::TempFolder folder_;
};

TEST_F(ReadTensorPb, TakesRawDataAndTheName) {
  onnx::TensorProto t = proto(DType::int16, {2});
  t.set_name("x");
  t.set_raw_data(std::string("\x01\x00\x02\x01", 4));
  const NamedTensor out = read(t);
  EXPECT_EQ(out.name, "x");
  EXPECT_THAT(out.tensor.shape, ElementsAre(2));
  EXPECT_THAT(out.tensor.as<int16_t>(), ElementsAre(1, 0x102));
}

TEST_F(ReadTensorPb, TakesEveryTypedField) {
  onnx::TensorProto f = proto(DType::float32, {1});
  f.add_float_data(1.5f);
  EXPECT_THAT(read(f).tensor.as<float>(), ElementsAre(1.5f));
  onnx::TensorProto c = proto(DType::complex64, {1});
  c.add_float_data(1), c.add_float_data(2);
  EXPECT_THAT(read(c).tensor.as<float>(), ElementsAre(1, 2));
  onnx::TensorProto d = proto(DType::float64, {1});
  d.add_double_data(0.1);
  EXPECT_THAT(read(d).tensor.as<double>(), ElementsAre(0.1));
  onnx::TensorProto l = proto(DType::int64, {1});
  l.add_int64_data(-3);
  EXPECT_THAT(read(l).tensor.as<int64_t>(), ElementsAre(-3));
  onnx::TensorProto u = proto(DType::uint32, {1});
  u.add_uint64_data(0xfffffffeu);
  EXPECT_THAT(read(u).tensor.as<uint32_t>(), ElementsAre(0xfffffffeu));
  onnx::TensorProto q = proto(DType::uint64, {1});
  q.add_uint64_data(~uint64_t{0});
  EXPECT_THAT(read(q).tensor.as<uint64_t>(), ElementsAre(~uint64_t{0}));
}

TEST_F(ReadTensorPb, TakesInt32DataForNarrowTypes) {
  onnx::TensorProto i8 = proto(DType::int8, {2});
  i8.add_int32_data(-1), i8.add_int32_data(5);
  EXPECT_THAT(read(i8).tensor.as<int8_t>(), ElementsAre(-1, 5));
  onnx::TensorProto half = proto(DType::float16, {1});
  half.add_int32_data(0x3c00);
  EXPECT_THAT(read(half).tensor.as<uint16_t>(), ElementsAre(0x3c00));
  onnx::TensorProto flag = proto(DType::boolean, {2});
  flag.add_int32_data(1), flag.add_int32_data(0);
  EXPECT_THAT(read(flag).tensor.as<uint8_t>(), ElementsAre(1, 0));
  onnx::TensorProto f8 = proto(DType::float8e4m3fn, {1});
  f8.add_int32_data(0x38);
  EXPECT_THAT(read(f8).tensor.as<uint8_t>(), ElementsAre(0x38));
  onnx::TensorProto i4 = proto(DType::int4, {3});  // two elements a value
  i4.add_int32_data(0x21), i4.add_int32_data(0x03);
  EXPECT_THAT(read(i4).tensor.as<uint8_t>(), ElementsAre(0x21, 0x03));
}

TEST_F(ReadTensorPb, TakesTexts) {
  onnx::TensorProto t = proto(DType::string, {2});
  t.add_string_data("a"), t.add_string_data(std::string("b\0c", 3));
  EXPECT_THAT(read(t).tensor.strings, ElementsAre("a", std::string("b\0c", 3)));
}

TEST_F(ReadTensorPb, TakesScalarsAndEmptyTensors) {
  onnx::TensorProto scalar = proto(DType::float32, {});
  scalar.add_float_data(2);
  EXPECT_THAT(read(scalar).tensor.as<float>(), ElementsAre(2));
  EXPECT_TRUE(read(proto(DType::float32, {0, 4})).tensor.bytes.empty());
}

TEST_F(ReadTensorPb, RefusesDataThatDoNotFitTheShape) {
  onnx::TensorProto t = proto(DType::float32, {3});
  t.set_raw_data("12345678");
  EXPECT_THAT(refusal(t), HasSubstr("needs 12 bytes, and it has 8"));
  onnx::TensorProto typed = proto(DType::float32, {3});
  typed.add_float_data(1);
  EXPECT_THAT(refusal(typed), HasSubstr("needs 3 values, and it has 1"));
  EXPECT_THAT(refusal(proto(DType::float32, {1LL << 40})),
              HasSubstr("more than the file"));
  EXPECT_NE(refusal(proto(DType::float32, {-1})), "nothing was refused");
  EXPECT_NE(refusal(proto(static_cast<DType>(77), {1})), "nothing was refused");
  EXPECT_NE(refusal(proto(DType::string, {1LL << 40})), "nothing was refused");
}

TEST_F(ReadTensorPb, RefusesOtherMessagesAndExternalData) {
  // A SequenceProto: elem_type 1 (tensor) in field 2, a tensor in field 3.
  EXPECT_THAT(refusal(std::string("\x10\x01\x1a\x00", 4)),
              HasSubstr("sequences"));
  EXPECT_THAT(refusal(std::string("<html>")), HasSubstr("a tensor was"));
  EXPECT_THAT(refusal(std::string()), HasSubstr("a tensor was"));
  onnx::TensorProto t = proto(DType::float32, {1});
  t.set_data_location(onnx::TensorProto::EXTERNAL);
  EXPECT_THAT(refusal(t), HasSubstr("another file"));
}

TEST_F(ReadTensorPb, NeverBreaksOnDamage) {
  onnx::TensorProto t = proto(DType::int8, {4});
  for (int i = 0; i < 4; ++i) t.add_int32_data(i);
  const std::string sound = t.SerializeAsString();
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = sound;
    for (int k = 0; k < 2; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      read(damaged);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace octavo
