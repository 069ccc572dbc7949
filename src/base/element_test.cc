#include "base/element.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/half.h"

namespace octavo {
namespace {

double one(DType type, uint8_t bits) {
  const std::byte byte{bits};
  return element_value(type, Bytes(&byte, 1), 0);
}

// Values from ONNX's page "Float stored in 8 bits" and the OCP specification
// of 8-bit floats.
TEST(ElementValue, DecodesEightBitFloats) {
  EXPECT_EQ(one(DType::float8e4m3fn, 0x38), 1.0);
  EXPECT_EQ(one(DType::float8e4m3fn, 0x7e), 448.0);
  EXPECT_EQ(one(DType::float8e4m3fn, 0x01), std::ldexp(1, -9));
  EXPECT_TRUE(std::isnan(one(DType::float8e4m3fn, 0xff)));
  EXPECT_EQ(one(DType::float8e4m3fnuz, 0x7f), 240.0);
  EXPECT_EQ(one(DType::float8e4m3fnuz, 0x01), std::ldexp(1, -10));
  EXPECT_TRUE(std::isnan(one(DType::float8e4m3fnuz, 0x80)));
  EXPECT_EQ(one(DType::float8e5m2, 0x7b), 57344.0);
  EXPECT_EQ(one(DType::float8e5m2, 0xfc),
            -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(one(DType::float8e5m2, 0x7d)));
  EXPECT_EQ(one(DType::float8e5m2fnuz, 0x7f), 57344.0);
  EXPECT_TRUE(std::isnan(one(DType::float8e5m2fnuz, 0x80)));
  EXPECT_EQ(one(DType::float8e8m0, 127), 1.0);
  EXPECT_TRUE(std::isnan(one(DType::float8e8m0, 255)));
}

TEST(ElementValue, DecodesFourBitFloats) {
  const double kExpected[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint8_t i = 0; i < 8; ++i) {
    EXPECT_EQ(one(DType::float4e2m1, i), kExpected[i]);
    EXPECT_EQ(one(DType::float4e2m1, i | 8), -kExpected[i]);
  }
}

TEST(ElementValue, UnpacksLowBitsFirst) {
  const std::byte two[] = {std::byte{0xe4}, std::byte{0x1b}};
  const double kUint2[] = {0, 1, 2, 3, 3, 2, 1, 0};
  const double kInt2[] = {0, 1, -2, -1, -1, -2, 1, 0};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(element_value(DType::uint2, two, i), kUint2[i]);
    EXPECT_EQ(element_value(DType::int2, two, i), kInt2[i]);
  }
  EXPECT_EQ(element_value(DType::uint4, two, 1), 14);
  EXPECT_EQ(element_value(DType::int4, two, 1), -2);
  EXPECT_EQ(element_value(DType::int4, two, 3), 1);
}

// Against the decoder, which is exact: every finite binary16 must come back,
// and the middle of two neighbours must go to the even one.
TEST(SetElementValue, RoundsFloat16HalfToEven) {
  Tensor t = make_tensor(DType::float16, {1});
  const auto encode = [&](double value) {
    EXPECT_TRUE(set_element_value(DType::float16, t.bytes, 0, value));
    return t.as<uint16_t>()[0];
  };
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const double value = float16_value(static_cast<uint16_t>(bits));
    ASSERT_EQ(encode(value), bits);
    ASSERT_EQ(encode(-value), bits | 0x8000);
    if (bits + 1 == 0x7c00) continue;
    const double next = float16_value(static_cast<uint16_t>(bits + 1));
    ASSERT_EQ(encode((value + next) / 2), bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(encode(std::nextafter((value + next) / 2, 1e9)), bits + 1);
  }
  EXPECT_EQ(encode(65519), 0x7bff);
  EXPECT_EQ(encode(65520), 0x7c00);
  EXPECT_EQ(encode(-1e300), 0xfc00);
  EXPECT_EQ(encode(std::nan("")), 0x7e00);
}

TEST(SetElementValue, RoundsBfloat16HalfToEven) {
  Tensor t = make_tensor(DType::bfloat16, {1});
  const auto encode = [&](double value) {
    EXPECT_TRUE(set_element_value(DType::bfloat16, t.bytes, 0, value));
    return t.as<uint16_t>()[0];
  };
  EXPECT_EQ(encode(1.0), 0x3f80);
  EXPECT_EQ(encode(1.0 + 0x1p-8), 0x3f80);  // half way, to even
  EXPECT_EQ(encode(1.0 + 0x1p-8 + 0x1p-20), 0x3f81);
  EXPECT_EQ(encode(1.0 + 3 * 0x1p-8), 0x3f82);  // half way, to even
  EXPECT_EQ(encode(std::numeric_limits<double>::infinity()), 0x7f80);
}

TEST(SetElementValue, IsUndoneByElementValue) {
  for (DType type : {DType::float32, DType::float64, DType::float16,
                     DType::bfloat16, DType::int8, DType::int16, DType::int32,
                     DType::int64, DType::complex64, DType::complex128}) {
    Tensor t = make_tensor(type, {3});
    EXPECT_TRUE(set_element_value(type, t.bytes, 2, -5));
    EXPECT_EQ(element_value(type, t.bytes, 2), -5) << dtype_name(type);
    EXPECT_EQ(element_value(type, t.bytes, 1), 0) << dtype_name(type);
  }
  Tensor t = make_tensor(DType::int4, {2});
  EXPECT_FALSE(set_element_value(DType::int4, t.bytes, 0, 1));
}

TEST(Widen, KeepsWhatNumpyKnows) {
  const Tensor t = make_tensor<float>(DType::float32, {2}, {1, 2});
  EXPECT_EQ(widen(t).bytes, t.bytes);
  EXPECT_EQ(widened_type(DType::uint4), DType::uint8);
  EXPECT_EQ(widened_type(DType::float8e5m2), DType::float32);
}

}  // namespace
}  // namespace octavo
