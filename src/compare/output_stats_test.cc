#include "compare/output_stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "octavo/error.h"

namespace octavo {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename T>
Tensor tensor(DType type, const std::vector<T>& values) {
  return make_tensor<T>(type, {std::ssize(values)}, values);
}

Tensor floats(const std::vector<float>& values) {
  return tensor(DType::float32, values);
}

OutputSummary compare_once(const Tensor& r, const Tensor& c) {
  OutputStats s;
  update(s, r, c, Place{.path = "y"});
  return finish(s);
}

TEST(OutputStats, GivesEveryMeasureInClosedForm) {
  // One difference of 1 in four: mean 1/4, RMSE sqrt(1/4), sums of squares
  // 30 and 39, dot 1 + 4 + 9 + 20 = 34.
  const OutputSummary o =
      compare_once(floats({1, 2, 3, 4}), floats({1, 2, 3, 5}));
  EXPECT_EQ(o.measure, Measure::numeric);
  EXPECT_EQ(o.elements, 4);
  EXPECT_EQ(o.equal, 3);
  EXPECT_EQ(std::get<double>(*o.max_abs), 1);
  EXPECT_DOUBLE_EQ(*o.mean_abs, 0.25);
  EXPECT_DOUBLE_EQ(*o.rmse, 0.5);
  EXPECT_DOUBLE_EQ(*o.cosine, 34 / std::sqrt(30.0 * 39.0));
  EXPECT_DOUBLE_EQ(*o.relative_l2, 1 / std::sqrt(30.0));
  EXPECT_DOUBLE_EQ(*o.sqnr_db, 10 * std::log10(30.0));
  ASSERT_TRUE(o.worst);
  EXPECT_EQ(o.worst->index, Shape{3});
  EXPECT_EQ(o.worst->reference, Scalar(4.0));
  EXPECT_EQ(o.worst->candidate, Scalar(5.0));
}

// r_i = ((7919 i) mod 2003 - 1001) / 64, c_i = r_i + ((104729 i) mod 17 - 8) /
// 1024, i < 5003: exact in float32, so that Python's fractions give the sums
// exactly; numpy gives the same figures to 15 digits.
void make_exact(std::vector<float>& r, std::vector<float>& c, int64_t begin,
                int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    r.push_back(static_cast<float>(i * 7919 % 2003 - 1001) / 64);
    c.push_back(r.back() + static_cast<float>(i * 104729 % 17 - 8) / 1024);
  }
}

void expect_exact(const OutputSummary& o) {
  EXPECT_EQ(o.elements, 5003);
  EXPECT_EQ(o.equal, 294);
  EXPECT_EQ(std::get<double>(*o.max_abs), 1.0 / 128);
  EXPECT_DOUBLE_EQ(*o.mean_abs, 0.004136580551668999);
  EXPECT_DOUBLE_EQ(*o.rmse, 0.004784836955471267);
  EXPECT_DOUBLE_EQ(*o.cosine, 0.9999998598946611);
  EXPECT_DOUBLE_EQ(*o.relative_l2, 0.0005293493439863044);
  EXPECT_DOUBLE_EQ(*o.sqnr_db, 65.52515241595655);
}

TEST(OutputStats, AgreesWithFractionsOverManyBlocks) {
  std::vector<float> r, c;
  make_exact(r, c, 0, 5003);
  expect_exact(compare_once(floats(r), floats(c)));
  // The same as float64.
  expect_exact(compare_once(
      tensor(DType::float64, std::vector<double>(r.begin(), r.end())),
      tensor(DType::float64, std::vector<double>(c.begin(), c.end()))));
}

TEST(OutputStats, MergedShardsGiveWhatOneRunGives) {
  OutputStats whole, first, second;
  for (int64_t b = 0; b < 7; ++b) {
    std::vector<float> r, c;
    make_exact(r, c, b * 715, std::min<int64_t>((b + 1) * 715, 5003));
    const Place place{b, b, 1, "y"};
    update(whole, floats(r), floats(c), place);
    update(b < 3 ? first : second, floats(r), floats(c), place);
  }
  expect_exact(finish(whole));
  // Through bytes, as another process would send it.
  merge(first, output_stats_from_bytes(to_bytes(second)));
  const OutputSummary merged = finish(first);
  expect_exact(merged);
  EXPECT_EQ(merged.batches, 7);
  EXPECT_EQ(merged.worst->batch, finish(whole).worst->batch);
  EXPECT_EQ(merged.worst->index, finish(whole).worst->index);
}

TEST(OutputStats, FindsTheWorstElementAtAwkwardSizes) {
  for (const int64_t n : {1, 2, 3, 4, 5, 1023, 1024, 1025, 2051, 4097})
    for (const int64_t at : {int64_t{0}, n / 2, n - 1}) {
      std::vector<float> r(static_cast<size_t>(n), 1), c = r;
      c[static_cast<size_t>(at)] = 3;
      const OutputSummary o = compare_once(floats(r), floats(c));
      ASSERT_TRUE(o.worst) << n << " " << at;
      EXPECT_EQ(o.worst->index, Shape{at}) << n;
      EXPECT_EQ(o.equal, n - 1);
      EXPECT_DOUBLE_EQ(*o.mean_abs, 2.0 / static_cast<double>(n));
    }
}

TEST(OutputStats, NamesTheFirstOfEqualWorstElements) {
  OutputStats s;
  update(s, floats({0, 0}), floats({1, 0}), Place{0, 0, 1, "y"});
  update(s, floats({0, 0}), floats({0, 1}), Place{1, 1, 1, "y"});
  EXPECT_EQ(finish(s).worst->batch, 0);
  OutputStats later;
  update(later, floats({0}), floats({1}), Place{2, 2, 1, "y"});
  merge(later, s);  // also when shards come out of order
  EXPECT_EQ(finish(later).worst->batch, 0);
}

TEST(OutputStats, PositionsAreRowMajorAndNameTheSample) {
  Tensor r = make_tensor(DType::float32, {2, 3, 4});
  Tensor c = r;
  c.as<float>()[1 * 12 + 2 * 4 + 3] = 1;
  OutputStats s;
  update(s, r, c, Place{5, 10, 2, "y"});
  const OutputSummary o = finish(s);
  EXPECT_EQ(o.worst->index, (Shape{1, 2, 3}));
  EXPECT_EQ(o.worst->sample, 11);
  EXPECT_EQ(o.worst->batch, 5);
}

TEST(OutputStats, IdenticalIsInfiniteSqnrAndCosineOne) {
  const OutputSummary o = compare_once(floats({1, -2}), floats({1, -2}));
  EXPECT_EQ(*o.sqnr_db, kInf);
  EXPECT_EQ(*o.cosine, 1);
  EXPECT_EQ(*o.relative_l2, 0);
  EXPECT_EQ(std::get<double>(*o.max_abs), 0);
  EXPECT_FALSE(o.worst);
}

TEST(OutputStats, ZeroVectorsAreUndefinedAndSaidSo) {
  const OutputSummary both = compare_once(floats({0, -0.0f}), floats({0, 0}));
  EXPECT_EQ(both.equal, 2);  // -0 equals 0
  EXPECT_FALSE(both.cosine);
  EXPECT_EQ(*both.relative_l2, 0);
  ASSERT_EQ(both.notes.size(), 1u);
  EXPECT_NE(both.notes[0].find("undefined"), std::string::npos);
  const OutputSummary one = compare_once(floats({0, 0}), floats({0, 1}));
  EXPECT_FALSE(one.cosine);
  EXPECT_FALSE(one.relative_l2);
  EXPECT_FALSE(one.sqnr_db);
  EXPECT_DOUBLE_EQ(*one.rmse, std::sqrt(0.5));
}

TEST(OutputStats, ScalarsAndEmptiesAreLegal) {
  const OutputSummary scalar =
      compare_once(make_tensor<float>(DType::float32, {}, {2}),
                   make_tensor<float>(DType::float32, {}, {3}));
  EXPECT_EQ(scalar.elements, 1);
  EXPECT_EQ(scalar.worst->index, Shape{});
  const OutputSummary empty = compare_once(make_tensor(DType::float32, {0, 4}),
                                           make_tensor(DType::float32, {0, 4}));
  EXPECT_EQ(empty.batches, 1);
  EXPECT_EQ(empty.elements, 0);
  EXPECT_FALSE(empty.max_abs);
  EXPECT_FALSE(empty.cosine);
  ASSERT_EQ(empty.notes.size(), 1u);
}

TEST(OutputStats, CountsEveryKindOfNonFinitePairOutsideTheSums) {
  const auto nan = static_cast<float>(kNaN);
  const auto inf = static_cast<float>(kInf);
  // Pairs: NaN NaN | Inf Inf | Inf -Inf | NaN 1 | 1 NaN | Inf NaN | 1 Inf |
  // 3 5 (the only finite one).
  const OutputSummary o =
      compare_once(floats({nan, inf, inf, nan, 1, inf, 1, 3}),
                   floats({nan, inf, -inf, 1, nan, nan, inf, 5}));
  EXPECT_EQ(o.elements, 8);
  EXPECT_EQ(o.equal, 2);
  EXPECT_EQ(o.non_finite.reference_nan, 2);
  EXPECT_EQ(o.non_finite.reference_inf, 3);
  EXPECT_EQ(o.non_finite.candidate_nan, 3);
  EXPECT_EQ(o.non_finite.candidate_inf, 3);
  EXPECT_EQ(o.non_finite.matching, 2);
  EXPECT_EQ(o.non_finite.mismatching, 5);
  EXPECT_EQ(o.non_finite.nan_became_finite, 1);
  EXPECT_EQ(std::get<double>(*o.max_abs), 2);
  EXPECT_EQ(*o.rmse, 2);
  EXPECT_EQ(*o.cosine, 1);  // 15 / (3 x 5)
  EXPECT_EQ(o.worst->index, Shape{7});
  EXPECT_EQ(o.first_non_finite->index, Shape{2});
}

TEST(OutputStats, OneNaNAnywhereLeavesTheOtherPairsIn) {
  for (const size_t n : {3u, 1024u, 2500u})
    for (const size_t at : {size_t{0}, n / 2, n - 1}) {
      std::vector<float> r(n, 1), c(n, 2);
      c[at] = static_cast<float>(kNaN);
      const OutputSummary o = compare_once(floats(r), floats(c));
      EXPECT_EQ(o.non_finite.mismatching, 1);
      EXPECT_EQ(*o.mean_abs, 1) << n << " " << at;
      EXPECT_EQ(o.first_non_finite->index, Shape{static_cast<int64_t>(at)});
    }
}

TEST(OutputStats, OnlyNonFinitePairsDefineNoMeasure) {
  const auto nan = static_cast<float>(kNaN);
  const OutputSummary o = compare_once(floats({nan}), floats({nan}));
  EXPECT_EQ(o.equal, 1);
  EXPECT_FALSE(o.max_abs);
  EXPECT_FALSE(o.rmse);
  EXPECT_EQ(o.notes.size(), 1u);
}

TEST(OutputStats, LargestFloat32DoesNotOverflow) {
  // Squares of 3.4e38 are far within a double; float64 at 1e200 is not, and
  // then measures of squares are undefined instead of wrong.
  const float big = std::numeric_limits<float>::max();
  const OutputSummary o = compare_once(floats({big, big}), floats({big, -big}));
  EXPECT_EQ(std::get<double>(*o.max_abs), 2.0 * big);
  EXPECT_EQ(*o.cosine, 0);
  const OutputSummary huge =
      compare_once(tensor<double>(DType::float64, {1e200, 1}),
                   tensor<double>(DType::float64, {1e200, 2}));
  EXPECT_EQ(std::get<double>(*huge.max_abs), 1);
  EXPECT_DOUBLE_EQ(*huge.mean_abs, 0.5);
  EXPECT_FALSE(huge.cosine);
  EXPECT_EQ(huge.notes.size(), 1u);
}

TEST(OutputStats, DecodesHalvesInPieces) {
  // float16 0x3c00 = 1, 0x4000 = 2, 0x7e00 = NaN; bfloat16 0x3f80 = 1,
  // 0x4000 = 2. More than one piece of 4096.
  std::vector<uint16_t> r(5000, 0x3c00), c = r;
  c[4999] = 0x4000;
  r[4500] = c[4500] = 0x7e00;
  const OutputSummary o =
      compare_once(tensor(DType::float16, r), tensor(DType::float16, c));
  EXPECT_EQ(o.equal, 4999);
  EXPECT_EQ(o.worst->index, Shape{4999});
  EXPECT_EQ(o.worst->candidate, Scalar(2.0));
  EXPECT_EQ(o.non_finite.matching, 1);
  EXPECT_DOUBLE_EQ(*o.mean_abs, 1.0 / 4999);
  const OutputSummary b =
      compare_once(tensor<uint16_t>(DType::bfloat16, {0x3f80, 0x3f80}),
                   tensor<uint16_t>(DType::bfloat16, {0x3f80, 0x4000}));
  EXPECT_EQ(*b.mean_abs, 0.5);
}

TEST(OutputStats, ComplexPartsAreElements) {
  // 1+2i against 1+3i.
  const Tensor r = make_tensor<float>(DType::complex64, {1}, {1, 2});
  const Tensor c = make_tensor<float>(DType::complex64, {1}, {1, 3});
  const OutputSummary o = compare_once(r, c);
  EXPECT_EQ(o.elements, 2);
  EXPECT_EQ(o.worst->index, (Shape{0, 1}));
  EXPECT_EQ(std::get<double>(*o.max_abs), 1);
}

TEST(OutputStats, IntegersAreExactAtTheirLimits) {
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  const OutputSummary o =
      compare_once(tensor<int64_t>(DType::int64, {5, kLow, kHigh}),
                   tensor<int64_t>(DType::int64, {5, kHigh, kHigh - 1}));
  EXPECT_EQ(o.measure, Measure::integer);
  EXPECT_EQ(o.equal, 1);
  // 2^63 - 1 - (-2^63) = 2^64 - 1.
  EXPECT_EQ(std::get<uint64_t>(*o.max_abs),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(o.worst->reference, Scalar(kLow));
  // 2^53 + 1 and 2^53 are one double, yet two integers.
  const uint64_t k53 = uint64_t{1} << 53;
  EXPECT_EQ(std::get<uint64_t>(
                *compare_once(tensor<uint64_t>(DType::uint64, {k53 + 1}),
                              tensor<uint64_t>(DType::uint64, {k53}))
                     .max_abs),
            1u);
  EXPECT_EQ(
      std::get<uint64_t>(*compare_once(tensor<int8_t>(DType::int8, {-128}),
                                       tensor<int8_t>(DType::int8, {127}))
                              .max_abs),
      255u);
}

TEST(OutputStats, NibblesAreDecodedLowFirstAndPaddingIgnored) {
  // int4 codes 0x1, 0xf, 0x7 = 1, -1, 7 against 1, -1, -8 (0x8); the unused
  // upper nibble differs and must not count.
  Tensor r = make_tensor(DType::int4, {3});
  Tensor c = r;
  r.bytes = {std::byte{0xf1}, std::byte{0x07}};
  c.bytes = {std::byte{0xf1}, std::byte{0xa8}};
  const OutputSummary o = compare_once(r, c);
  EXPECT_EQ(o.elements, 3);
  EXPECT_EQ(o.equal, 2);
  EXPECT_EQ(std::get<uint64_t>(*o.max_abs), 15u);
  EXPECT_EQ(o.worst->candidate, Scalar(int64_t{-8}));
}

TEST(OutputStats, BoolsAndStringsCountMismatches) {
  const OutputSummary b =
      compare_once(tensor<uint8_t>(DType::boolean, {0, 1, 255}),
                   tensor<uint8_t>(DType::boolean, {1, 1, 1}));
  EXPECT_EQ(b.measure, Measure::exact);
  EXPECT_EQ(b.equal, 2);  // any byte but 0 is true
  EXPECT_EQ(b.worst->index, Shape{0});
  EXPECT_FALSE(b.max_abs);

  Tensor r = make_tensor(DType::string, {2, 1});
  r.strings = {"cat", "dog"};
  Tensor c = r;
  c.strings[1] = "cow";
  const OutputSummary s = compare_once(r, c);
  EXPECT_EQ(s.equal, 1);
  EXPECT_EQ(s.worst->index, (Shape{1, 0}));
  EXPECT_EQ(s.worst->candidate, Scalar(std::string("cow")));
}

// By ONNX's tables: e4m3fn has 1.0 = 0x38, 1.5 = 0x3c, 2.0 = 0x40, NaN = 0x7f;
// e5m2 1.0 = 0x3c, 1.5 = 0x3e, 2.0 = 0x40, NaN = 0x7f; e4m3fnuz 1.0 = 0x40,
// 1.5 = 0x44, 2.0 = 0x48, NaN = 0x80.
TEST(OutputStats, EightBitFloatsAreComparedByValue) {
  struct Codes {
    DType type;
    uint8_t one, one_and_half, two, nan;
  };
  for (const auto& [type, one, more, two, nan] :
       {Codes{DType::float8e4m3fn, 0x38, 0x3c, 0x40, 0x7f},
        Codes{DType::float8e5m2, 0x3c, 0x3e, 0x40, 0x7f},
        Codes{DType::float8e4m3fnuz, 0x40, 0x44, 0x48, 0x80}}) {
    const OutputSummary o =
        compare_once(tensor<uint8_t>(type, {one, two, nan}),
                     tensor<uint8_t>(type, {more, two, nan}));
    EXPECT_EQ(o.measure, Measure::numeric);
    EXPECT_EQ(o.equal, 2);
    EXPECT_EQ(std::get<double>(*o.max_abs), 0.5);
    EXPECT_EQ(o.worst->candidate, Scalar(1.5));
    EXPECT_DOUBLE_EQ(*o.rmse, 0.5 / std::sqrt(2));
    EXPECT_EQ(o.non_finite.matching, 1);
  }
}

// e2m1, low nibble first: 1.0 = 2, 2.0 = 4, 6.0 = 7, -6.0 = 15.
TEST(OutputStats, FourBitFloatsAreComparedByValue) {
  Tensor r = make_tensor(DType::float4e2m1, {3});
  Tensor c = r;
  r.as<uint8_t>()[0] = 0x42;
  c.as<uint8_t>()[0] = 0x42;
  r.as<uint8_t>()[1] = 0x07;
  c.as<uint8_t>()[1] = 0x0f;
  const OutputSummary o = compare_once(r, c);
  EXPECT_EQ(o.elements, 3);
  EXPECT_EQ(o.equal, 2);
  EXPECT_EQ(std::get<double>(*o.max_abs), 12);
  EXPECT_DOUBLE_EQ(*o.cosine, (1 + 4 - 36) / 41.0);
}

TEST(OutputStats, UnequalBatchesFailByNameAndStayOutOfTheSums) {
  OutputStats s;
  update(s, floats({1, 2}), floats({1, 3}), Place{0, 0, 1, "y"});
  update(s, floats({1, 2}), floats({1}), Place{1, 1, 1, "y"});
  update(s, floats({9}), tensor<double>(DType::float64, {9}),
         Place{2, 2, 1, "y"});
  const OutputSummary o = finish(s);
  EXPECT_EQ(o.batches, 1);
  EXPECT_EQ(o.elements, 2);
  EXPECT_EQ(o.failed_batches, 2);
  EXPECT_EQ(o.first_failed_batch, 1);
  EXPECT_EQ(o.failure,
            "y is float32 [2] in the original and float32 [1] in the copy");
}

TEST(OutputStats, RefusesBytesThatDoNotFitTheShape) {
  Tensor bad = floats({1, 2});
  bad.bytes.pop_back();
  OutputStats s;
  EXPECT_THROW(update(s, floats({1, 2}), bad, Place{}), Error);
}

TEST(OutputStats, ReadsUnalignedViews) {
  std::vector<std::byte> bytes(1 + 5 * sizeof(float));
  const float values[] = {1, 2, 3, 4, 5};
  std::memcpy(bytes.data() + 1, values, sizeof values);
  const TensorView v{DType::float32, {5}, Bytes(bytes).subspan(1)};
  OutputStats s;
  update(s, v, v, Place{});
  EXPECT_EQ(finish(s).equal, 5);
}

TEST(OutputStats, BytesComeBackAndBrokenOnesAreRefused) {
  OutputStats s;
  s.name = "y";
  Tensor r = make_tensor(DType::string, {1});
  Tensor c = r;
  c.strings[0] = "x";
  update(s, r, c, Place{3, 4, 1, "y"});
  record_failure(s, 7, "a sentence");
  const std::vector<std::byte> bytes = to_bytes(s);
  const OutputStats back = output_stats_from_bytes(bytes);
  EXPECT_EQ(to_bytes(back), bytes);
  EXPECT_EQ(back.worst->candidate, Scalar(std::string("x")));
  EXPECT_EQ(back.failure, "a sentence");
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(output_stats_from_bytes(Bytes(bytes).first(n)), Error);
  std::vector<std::byte> longer = bytes;
  longer.push_back({});
  EXPECT_THROW(output_stats_from_bytes(longer), Error);
}

}  // namespace
}  // namespace octavo
