#include "octavo/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/error.h"
#include "testing/fake_runner.h"

namespace octavo {
namespace {

using testing::FakeRunner;
using ::testing::HasSubstr;
using testing::ListSource;
using testing::port;
using testing::tensor_runner;

Tensor floats(Shape shape, const std::vector<float>& values) {
  return make_tensor<float>(DType::float32, std::move(shape), values);
}

Tensor classes(const std::vector<int64_t>& labels) {
  return make_tensor<int64_t>(DType::int64, {std::ssize(labels)}, labels);
}

Value identity(const Tensor& x) { return x; }

Value plus_half(const Tensor& x) {
  Tensor y = x;
  for (float& v : y.as<float>()) v += 0.5f;
  return y;
}

std::string error_of(Runner& a, Runner& b, const SampleSource& samples,
                     const CompareOptions& options = {}) {
  try {
    compare(a, b, samples, options);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

ListSource three_batches() {
  ListSource s;
  s.add(floats({2, 2}, {1, 2, 3, 4}), 2);
  s.add(floats({2, 2}, {5, 6, 7, 8}), 2);
  s.add(floats({1, 2}, {9, 10}), 1);
  return s;
}

TEST(Compare, StreamsAllBatchesIntoOneSummary) {
  FakeRunner a = tensor_runner(identity), b = tensor_runner(plus_half);
  std::vector<int64_t> seen;
  CompareOptions options;
  options.progress = [&](const CompareProgress& p) {
    EXPECT_EQ(p.batches, 3);
    seen.push_back(p.samples_done);
  };
  const CompareResult r = compare(a, b, three_batches(), options);
  ASSERT_EQ(r.outputs.size(), 1u);
  EXPECT_EQ(r.outputs[0].name, "y");
  EXPECT_EQ(r.outputs[0].elements, 10);
  EXPECT_EQ(*r.outputs[0].mean_abs, 0.5);
  EXPECT_EQ(r.samples, 5);
  EXPECT_EQ(seen, (std::vector<int64_t>{2, 4, 5}));
  EXPECT_EQ(r.verdict(), Verdict::none);
  EXPECT_FALSE(r.partial);
}

TEST(Compare, StopsBetweenBatchesAndSaysPartial) {
  FakeRunner a = tensor_runner(identity), b = tensor_runner(identity);
  std::atomic<bool> stop = false;
  CompareOptions options;
  options.stop = &stop;
  options.progress = [&](const CompareProgress&) { stop = true; };
  const CompareResult r = compare(a, b, three_batches(), options);
  EXPECT_TRUE(r.partial);
  EXPECT_EQ(r.batches, 1);
}

TEST(Compare, SaysWhichModelFailed) {
  const auto broken = [](const Tensor&) -> Value {
    throw Error(ErrorKind::runtime, "no kernel for Foo");
  };
  FakeRunner good = tensor_runner(identity), bad = tensor_runner(broken);
  EXPECT_EQ(error_of(bad, good, three_batches()),
            "the original does not run on batch 0, so nothing can be "
            "compared: no kernel for Foo");
  EXPECT_EQ(error_of(good, bad, three_batches()),
            "the quantized copy fails on batch 0, where the original runs: no "
            "kernel for Foo");
}

TEST(Compare, RefusesModelsOfOtherInputs) {
  const auto none = [](const Feed&) { return std::vector<Value>{Value()}; };
  FakeRunner x({port("x")}, {port("y")}, none);
  FakeRunner xz({port("x"), port("z")}, {port("y")}, none);
  FakeRunner half({port("x", DType::float16)}, {port("y")}, none);
  FakeRunner other({port("x")}, {port("q", DType::int64)}, none);
  const ListSource s = three_batches();
  EXPECT_THAT(error_of(x, xz, s), HasSubstr("the copy needs an input 'z'"));
  EXPECT_THAT(error_of(xz, x, s), HasSubstr("the original takes an input 'z'"));
  EXPECT_THAT(error_of(x, half, s),
              HasSubstr("float32 in the original and float16 in the copy"));
  EXPECT_THAT(error_of(x, other, s),
              HasSubstr("no outputs that belong together"));
  EXPECT_THAT(error_of(x, x, ListSource()), HasSubstr("no sample"));
}

TEST(Compare, PairsByNameWhateverTheOrder) {
  FakeRunner a({port("x")}, {port("p"), port("q"), port("gone", DType::int64)},
               [](const Feed&) {
                 return std::vector<Value>{floats({1}, {1}), floats({1}, {2}),
                                           floats({1}, {3})};
               });
  FakeRunner b({port("x")}, {port("new"), port("q"), port("p")},
               [](const Feed&) {
                 return std::vector<Value>{floats({1}, {7}), floats({1}, {2}),
                                           floats({1}, {1})};
               });
  const CompareResult r = compare(a, b, three_batches());
  ASSERT_EQ(r.outputs.size(), 2u);
  EXPECT_EQ(r.outputs[0].equal, 3);
  EXPECT_EQ(r.outputs[1].equal, 3);
  EXPECT_EQ(r.only_reference, std::vector<std::string>{"gone"});
  EXPECT_EQ(r.only_candidate, std::vector<std::string>{"new"});
  EXPECT_FALSE(r.comparable());
  EXPECT_EQ(r.verdict(), Verdict::outside);
}

TEST(Compare, AnUnequalOutputLeavesTheOthersCompared) {
  const auto two = [](int64_t n) {
    return [n](const Feed&) {
      return std::vector<Value>{make_tensor(DType::float32, {n}),
                                floats({1}, {1})};
    };
  };
  FakeRunner a({port("x")}, {port("p"), port("q")}, two(2));
  FakeRunner b({port("x")}, {port("p"), port("q")}, two(3));
  const CompareResult r = compare(a, b, three_batches());
  EXPECT_EQ(r.outputs[0].failed_batches, 3);
  EXPECT_EQ(r.outputs[0].first_failed_batch, 0);
  EXPECT_EQ(r.outputs[1].equal, 3);
  EXPECT_FALSE(r.comparable());
}

Value zip_map(std::vector<int64_t> keys, std::vector<float> values) {
  const auto n = std::ssize(keys);
  Value map;
  map.kind = ValueKind::map;
  map.items = {make_tensor<int64_t>(DType::int64, {n}, keys),
               floats({n}, values)};
  return map;
}

Value sequence(std::vector<Value> items) {
  Value v;
  v.kind = ValueKind::sequence;
  v.items = std::move(items);
  return v;
}

CompareResult compare_values(const Value& a, const Value& b) {
  const auto give = [](Value v) {
    return [v](const Feed&) { return std::vector<Value>{v}; };
  };
  FakeRunner ra({port("x")}, {port("y")}, give(a));
  FakeRunner rb({port("x")}, {port("y")}, give(b));
  ListSource s;
  s.add(floats({1}, {0}));
  return compare(ra, rb, s);
}

TEST(Compare, WalksSequencesAndMapsByPath) {
  const CompareResult r =
      compare_values(sequence({zip_map({0, 1}, {1, 2}), zip_map({0}, {3})}),
                     sequence({zip_map({0, 1}, {1, 2}), zip_map({0}, {4})}));
  ASSERT_EQ(r.outputs.size(), 2u);
  EXPECT_EQ(r.outputs[0].name, "y[0].values");
  EXPECT_EQ(r.outputs[0].equal, 2);
  EXPECT_EQ(r.outputs[1].worst->path, "y[1].values");
}

TEST(Compare, NamesUnequalCountsKeysAndKinds) {
  const Value one = floats({1}, {1});
  EXPECT_EQ(
      compare_values(sequence({one}), sequence({one, one})).outputs[0].failure,
      "y has 1 items in the original and 2 in the copy");
  EXPECT_THAT(compare_values(zip_map({0, 1}, {1, 2}), zip_map({0, 2}, {1, 2}))
                  .outputs[0]
                  .failure,
              HasSubstr("y has other keys"));
  EXPECT_EQ(compare_values(one, Value()).outputs[0].failure,
            "y is a tensor in the original and nothing in the copy");
  EXPECT_TRUE(compare_values(Value(), Value()).comparable());
  EXPECT_TRUE(compare_values(sequence({}), sequence({})).comparable());
}

TEST(Compare, LongSequencesTakeNoMoreMemory) {
  std::vector<Value> items(100, floats({1}, {1}));
  std::vector<Value> other = items;
  other[37] = floats({1}, {2});
  const CompareResult r = compare_values(sequence(items), sequence(other));
  ASSERT_EQ(r.outputs.size(), 17u);
  EXPECT_EQ(r.outputs[16].name, "y[16...]");
  EXPECT_EQ(r.outputs[16].elements, 84);
  EXPECT_EQ(r.outputs[16].worst->path, "y[37]");
}

TEST(Compare, LabelsGiveAccuracyAndFlips) {
  const auto swapped = [](const Tensor& x) -> Value {
    Tensor y = x;
    for (size_t i = 0; i + 1 < y.as<float>().size(); i += 2)
      std::swap(y.as<float>()[i], y.as<float>()[i + 1]);
    return y;
  };
  FakeRunner a = tensor_runner(identity), b = tensor_runner(swapped);
  CompareOptions options;
  options.labels = classes({1, 1, 1, 1, 0});
  options.tolerances.max_drop = 60;
  options.tolerances.max_flips = 50;
  const CompareResult r = compare(a, b, three_batches(), options);
  // The original always answers 1 (4 of 5 right), the copy always 0.
  EXPECT_EQ(r.answers->output, "y");
  EXPECT_EQ(r.answers->reference_correct, 4);
  EXPECT_EQ(r.answers->candidate_correct, 1);
  EXPECT_EQ(r.answers->flipped, 5);
  ASSERT_EQ(r.checks.size(), 2u);
  EXPECT_TRUE(r.checks[0].ok);  // a drop of exactly 60 points
  EXPECT_DOUBLE_EQ(*r.checks[0].measured, 60);
  EXPECT_FALSE(r.checks[1].ok);
  EXPECT_EQ(r.verdict(), Verdict::outside);
}

TEST(Compare, RefusesLabelsThatDoNotFit) {
  FakeRunner a = tensor_runner(identity), b = tensor_runner(identity);
  CompareOptions options;
  options.labels = classes({1, 2});
  EXPECT_THAT(error_of(a, b, three_batches(), options),
              HasSubstr("2 labels for 5 samples"));
  options.labels = classes({0, 0, 0, 0, 0});
  options.label_output = "nope";
  EXPECT_THAT(error_of(a, b, three_batches(), options),
              HasSubstr("it has 'y'"));
  FakeRunner flat = tensor_runner(
      [](const Tensor&) -> Value { return make_tensor(DType::float32, {4}); });
  options.label_output.clear();
  EXPECT_THAT(error_of(flat, flat, three_batches(), options),
              HasSubstr("leave the labels out"));
}

TEST(Compare, TolerancesDecideAndOnlyThey) {
  FakeRunner a = tensor_runner(identity), b = tensor_runner(plus_half);
  CompareOptions options;
  options.tolerances.max_abs = 0.5;
  EXPECT_EQ(compare(a, b, three_batches(), options).verdict(), Verdict::within);
  options.tolerances.min_cosine = 0.99999;
  const CompareResult r = compare(a, b, three_batches(), options);
  EXPECT_EQ(r.verdict(), Verdict::outside);
  EXPECT_TRUE(r.checks[0].ok);
  EXPECT_FALSE(r.checks[1].ok);
}

TEST(Compare, ANaNThatVanishedIsOutsideAnyTolerance) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CompareOptions options;
  options.tolerances.max_abs = 1e30;
  FakeRunner a = tensor_runner(
      [&](const Tensor&) -> Value { return floats({2}, {nan, 1}); });
  FakeRunner b = tensor_runner(
      [&](const Tensor&) -> Value { return floats({2}, {0, 1}); });
  EXPECT_EQ(compare(a, b, three_batches(), options).verdict(),
            Verdict::outside);
  EXPECT_EQ(compare(a, a, three_batches(), options).verdict(), Verdict::within);
}

TEST(Compare, RefusesTolerancesThatMakeNoSense) {
  FakeRunner a = tensor_runner(identity);
  CompareOptions options;
  options.tolerances.max_abs = -1;
  EXPECT_THAT(error_of(a, a, three_batches(), options), HasSubstr("--max-abs"));
  options.tolerances = {};
  options.tolerances.min_cosine = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(error_of(a, a, three_batches(), options),
              HasSubstr("--min-cosine"));
  options.tolerances = {};
  options.tolerances.max_drop = 1;
  EXPECT_THAT(error_of(a, a, three_batches(), options),
              HasSubstr("--max-drop needs labels"));
}

}  // namespace
}  // namespace octavo
