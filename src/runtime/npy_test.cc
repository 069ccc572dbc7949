#include "runtime/npy.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "octavo/error.h"
#include "runtime/npy_header.h"

namespace octavo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}
  int64_t size() const override { return std::ssize(bytes_); }
  const std::string& name() const override { return name_; }
  void read(int64_t offset, std::span<std::byte> out) const override {
    ASSERT_GE(offset, 0);
    ASSERT_LE(offset + std::ssize(out), size());
    std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }

 private:
  std::string bytes_;
  std::string name_ = "'m.npy'";
};

std::string from_hex(const std::string& hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

// A file as numpy lays it out: the header padded with spaces to 64 bytes.
std::string npy(int version, std::string dict, const std::string& data_hex) {
  const size_t begin = version == 1 ? 10 : 12;
  while ((begin + dict.size() + 1) % 64 != 0) dict += ' ';
  dict += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (size_t k = 0; k < begin - 8; ++k)
    out += static_cast<char>((dict.size() >> (8 * k)) & 0xFF);
  return out + dict + from_hex(data_hex);
}

std::string dict(const std::string& descr, const std::string& shape,
                 bool fortran = false) {
  return "{'descr': '" + descr +
         "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

Tensor read(const std::string& bytes) {
  const MemorySource source(bytes);
  return read_npy(source, read_npy_header(source));
}

std::string refusal(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was refused";
}

// The bytes below come from numpy 2.4's numpy.save of the arrays named.

TEST(ReadNpy, TurnsFortranOrderIntoRows) {
  // np.asfortranarray(np.arange(6, dtype='<f4').reshape(2, 3))
  const Tensor t =
      read(npy(1, dict("<f4", "(2, 3)", true),
               "00000000000040400000803f00008040000000400000a040"));
  EXPECT_EQ(t.type, DType::float32);
  EXPECT_THAT(t.shape, ElementsAre(2, 3));
  EXPECT_THAT(t.as<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(ReadNpy, TurnsThreeFortranAxesIntoRows) {
  // np.asfortranarray(np.arange(24, dtype='u1').reshape(2, 3, 4))
  const Tensor t =
      read(npy(1, dict("|u1", "(2, 3, 4)", true),
               "000c04100814010d05110915020e06120a16030f07130b17"));
  for (uint8_t i = 0; i < 24; ++i) EXPECT_EQ(t.as<uint8_t>()[i], i);
}

TEST(ReadNpy, SwapsBigEndian) {
  // np.array([1, 258], dtype='>i2'); np.array([1+2j], dtype='>c8')
  EXPECT_THAT(read(npy(1, dict(">i2", "(2,)"), "00010102")).as<int16_t>(),
              ElementsAre(1, 258));
  const Tensor c = read(npy(1, dict(">c8", "(1,)"), "3f80000040000000"));
  EXPECT_EQ(c.type, DType::complex64);
  EXPECT_THAT(c.as<float>(), ElementsAre(1, 2));
}

TEST(ReadNpy, ReadsTextsOfBothKinds) {
  // np.array(['é', 'ab', '']); np.array([b'x\0y', b''])
  const Tensor u =
      read(npy(1, dict("<U2", "(3,)"),
               "e90000000000000061000000620000000000000000000000"));
  EXPECT_EQ(u.type, DType::string);
  EXPECT_THAT(u.strings, ElementsAre("\u00e9", "ab", ""));
  const Tensor s = read(npy(1, dict("|S3", "(2,)"), "780079000000"));
  EXPECT_THAT(s.strings, ElementsAre(std::string("x\0y", 3), ""));
  // The same text big-endian.
  EXPECT_THAT(read(npy(1, dict(">U1", "(1,)"), "000000e9")).strings,
              ElementsAre("\u00e9"));
}

TEST(ReadNpy, ReadsScalarsAndEmptyArrays) {
  // np.array(1.5, dtype='<f2')
  const Tensor scalar = read(npy(1, dict("<f2", "()"), "003e"));
  EXPECT_TRUE(scalar.shape.empty());
  EXPECT_EQ(scalar.as<uint16_t>()[0], 0x3e00);
  const Tensor empty = read(npy(1, dict("<f4", "(0, 5)"), ""));
  EXPECT_THAT(empty.shape, ElementsAre(0, 5));
  EXPECT_TRUE(empty.bytes.empty());
}

TEST(ReadNpy, ReadsVersionsTwoAndThree) {
  for (int version : {2, 3})
    EXPECT_THAT(read(npy(version, dict("|u1", "(1,)"), "07")).as<uint8_t>(),
                ElementsAre(7));
}

TEST(ReadNpy, KnowsEveryNumericType) {
  const std::pair<const char*, DType> kTypes[] = {
      {"<f2", DType::float16},   {"<f4", DType::float32},
      {"<f8", DType::float64},   {"|i1", DType::int8},
      {"<i2", DType::int16},     {"<i4", DType::int32},
      {"<i8", DType::int64},     {"|u1", DType::uint8},
      {"<u2", DType::uint16},    {"<u4", DType::uint32},
      {"<u8", DType::uint64},    {"|b1", DType::boolean},
      {"<c8", DType::complex64}, {"<c16", DType::complex128},
      {"=f4", DType::float32}};
  for (const auto& [descr, type] : kTypes) {
    const Tensor t = read(npy(1, dict(descr, "(1,)"), std::string(32, '0')));
    EXPECT_EQ(t.type, type) << descr;
    EXPECT_EQ(static_cast<int>(t.bytes.size()) * 8, dtype_bits(type)) << descr;
  }
}

TEST(ReadNpy, MakesBoolsZeroOrOne) {
  EXPECT_THAT(read(npy(1, dict("|b1", "(3,)"), "00ff02")).as<uint8_t>(),
              ElementsAre(0, 1, 1));
}

TEST(ReadNpy, ReadsPythonTwoHeaders) {
  EXPECT_THAT(read(npy(1,
                       "{'descr': u'|u1', 'shape': (1L, 1L), "
                       "'fortran_order': False}",
                       "09"))
                  .shape,
              ElementsAre(1, 1));
}

TEST(ReadNpyRows, ReadsOnlyThose) {
  const MemorySource source(
      npy(1, dict("<i2", "(4, 2)"), "00000100020003000400050006000700"));
  const Tensor rows = read_npy_rows(source, read_npy_header(source), 1, 2);
  EXPECT_THAT(rows.shape, ElementsAre(2, 2));
  EXPECT_THAT(rows.as<int16_t>(), ElementsAre(2, 3, 4, 5));
}

TEST(ReadNpy, RefusesPicklesWithTheWayOut) {
  EXPECT_THAT(
      refusal(npy(1, dict("|O", "(1,)"), "80049e")),
      AllOf(HasSubstr("'m.npy'"), HasSubstr("pickle"), HasSubstr("astype")));
}

TEST(ReadNpy, RefusesTypesThatOnnxLacks) {
  EXPECT_THAT(refusal(npy(1, dict("<M8[s]", "(1,)"), std::string(16, '0'))),
              HasSubstr("<M8[s]"));
  EXPECT_THAT(refusal(npy(1, dict("<f16", "(1,)"), std::string(32, '0'))),
              HasSubstr("astype"));
  EXPECT_THAT(refusal(npy(1, dict("|V2", "(1,)"), "0000")),
              HasSubstr("TensorProto"));
  EXPECT_THAT(refusal(npy(1,
                          "{'descr': [('a', '<f4'), ('b', '<i4')], "
                          "'fortran_order': False, 'shape': (1,), }",
                          std::string(16, '0'))),
              HasSubstr("each field"));
}

TEST(ReadNpy, RefusesHeadersThatClaimMoreThanTheFile) {
  const std::string data(8, '0');
  for (const char* shape :
       {"(1000000000000,)", "(9223372036854775807,)",
        "(4294967296, 4294967296)", "(2,)", "(99999999999999999999,)"})
    EXPECT_NE(refusal(npy(1, dict("<f4", shape), data)), "nothing was refused")
        << shape;
  // Empty texts take no bytes, so only a guard stops them.
  EXPECT_THAT(refusal(npy(1, dict("<U0", "(1000000000000,)"), "")),
              HasSubstr("empty texts"));
  EXPECT_NE(refusal(npy(1, dict("<U2147483648", "(1,)"), data)),
            "nothing was refused");
}

TEST(ReadNpy, RefusesBrokenHeaders) {
  for (const char* text :
       {"", "{", "{}", "{'descr': '<f4'}", "[1]", "{'descr': '<f4', 'x': 1}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (1,",
        "{'descr': '<f4, 'fortran_order': True, 'shape': (1,)}",
        "{'descr': '', 'fortran_order': True, 'shape': (1,)}",
        "{'descr': '<', 'fortran_order': True, 'shape': (1,)}",
        "{'descr': [('a', 'fortran_order': True, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (1,)} junk"})
    EXPECT_NE(refusal(npy(1, text, "00000000")), "nothing was refused") << text;
}

TEST(ReadNpy, RefusesWhatIsNoArray) {
  EXPECT_THAT(refusal(""), HasSubstr("shorter than a header"));
  EXPECT_THAT(refusal("<!DOCTYPE html><html></html>"), HasSubstr("signature"));
  std::string wrong = npy(1, dict("<f4", "(1,)"), "00000000");
  wrong[6] = 9;
  EXPECT_THAT(refusal(wrong), HasSubstr("version is 9"));
}

TEST(ReadNpy, RefusesATextThatIsNone) {
  EXPECT_THAT(refusal(npy(1, dict("<U1", "(1,)"), "00d80000")),
              HasSubstr("0xd800"));
}

TEST(ReadNpy, NeverBreaksOnTruncatedOrDamagedFiles) {
  const std::string sound =
      npy(1, dict("<f4", "(2, 3)", true), std::string(48, '1'));
  for (size_t n = 0; n < sound.size(); ++n)
    EXPECT_THROW(read(sound.substr(0, n)), Error) << n;
  // Any byte may be anything: an Error or an array, nothing else.
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = sound;
    for (int k = 0; k < 3; ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      read(damaged);
    } catch (const Error&) {
    }
  }
}

TEST(NpyBytes, AreWhatNumpyWrites) {
  // numpy.save(np.arange(3, dtype='<i4')), the whole file.
  const std::string expected =
      npy(1, dict("<i4", "(3,)"), "000000000100000002000000");
  const auto bytes =
      npy_bytes(make_tensor<int32_t>(DType::int32, {3}, {0, 1, 2}));
  EXPECT_EQ(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
      expected);
}

Tensor round_trip(const Tensor& t) {
  const auto bytes = npy_bytes(t);
  return read(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

TEST(NpyBytes, ReadBackEqual) {
  for (int i = 1; i <= 15; ++i) {
    const auto type = static_cast<DType>(i);
    if (type == DType::string) continue;
    Tensor t = make_tensor(type, {2, 1, 3});
    for (size_t k = 0; k < t.bytes.size(); ++k)
      t.bytes[k] = std::byte{static_cast<unsigned char>(
          type == DType::boolean ? k & 1 : 7 * k + 1)};
    const Tensor back = round_trip(t);
    EXPECT_EQ(back.type, type);
    EXPECT_EQ(back.shape, t.shape);
    EXPECT_EQ(back.bytes, t.bytes);
  }
  EXPECT_TRUE(round_trip(make_tensor(DType::float32, {})).shape.empty());
}

TEST(NpyBytes, KeepTextsThatAreNoUtf8) {
  Tensor t = make_tensor(DType::string, {2});
  t.strings = {"\u00e9\U0001F600", "b"};
  EXPECT_EQ(round_trip(t).strings, t.strings);
  t.strings = {"\xff\xfe", "b"};
  EXPECT_EQ(round_trip(t).strings, t.strings);
}

TEST(NpyBytes, WidenWhatNumpyLacks) {
  // bfloat16 1.5 is 0x3fc0; int4 nibbles, low first: 7, -8, -1.
  const Tensor b =
      round_trip(make_tensor<uint16_t>(DType::bfloat16, {1}, {0x3fc0}));
  EXPECT_EQ(b.type, DType::float32);
  EXPECT_THAT(b.as<float>(), ElementsAre(1.5f));
  const Tensor i =
      round_trip(make_tensor<uint8_t>(DType::int4, {3}, {0x87, 0x0f}));
  EXPECT_EQ(i.type, DType::int8);
  EXPECT_THAT(i.as<int8_t>(), ElementsAre(7, -8, -1));
}

}  // namespace
}  // namespace octavo
