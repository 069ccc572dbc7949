#include "tune/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "testing/fake_runner.h"
#include "tune/subset.h"

namespace octavo {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::ListSource;
using testing::tensor_runner;

Tensor floats(const std::vector<float>& v) {
  return make_tensor<float>(DType::float32, {1, std::ssize(v)}, v);
}

// y = x, and y = x + |x| e: for x of one element, relative L2 is e.
testing::FakeRunner adding(float e) {
  return tensor_runner([e](const Tensor& x) {
    Tensor y = x;
    for (float& v : y.as<float>()) v += e;
    return Value(std::move(y));
  });
}

std::vector<int64_t> in_order(int64_t n) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TEST(Estimate, IsRelativeL2OverAllBatches) {
  ListSource samples;
  samples.add(floats({3})).add(floats({4}));
  auto a = adding(0), b = adding(1);
  const auto e = estimate_error(a, b, samples, in_order(2), 0, nullptr);
  ASSERT_TRUE(e);
  EXPECT_THAT(e->error, DoubleNear(std::sqrt(2.0 / 25), 1e-12));
  EXPECT_EQ(e->standard_error, 0);  // all of them
  EXPECT_EQ(e->samples, 2);
}

TEST(Estimate, StopsWhereItIsSureEnough) {
  ListSource samples;
  for (int i = 0; i < 100; ++i) samples.add(floats({5}));
  auto a = adding(0), b = adding(1);
  const auto e = estimate_error(a, b, samples, in_order(100), 0.05, nullptr);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->samples, static_cast<int64_t>(kLeastBatches));
  EXPECT_THAT(e->error, DoubleNear(0.2, 1e-7));
  EXPECT_EQ(b.runs, static_cast<int>(kLeastBatches));
}

// Of batches with the squares s_i over equal references r, the estimate
// without batch i is sqrt((S - s_i) / ((n - 1) r)).
TEST(Estimate, HasTheJackknifesStandardError) {
  std::vector<ErrorSums> batches;
  const std::vector<double> s = {1, 4, 9, 16};
  for (const double v : s) batches.push_back({{{v, 2}}});
  double mean = 0, squares = 0;
  std::vector<double> without;
  for (const double v : s) without.push_back(std::sqrt((30 - v) / 6));
  for (const double v : without) mean += v / 4;
  for (const double v : without) squares += (v - mean) * (v - mean);
  const ErrorEstimate e = estimate(batches, true);
  EXPECT_THAT(e.error, DoubleNear(std::sqrt(30.0 / 8), 1e-12));
  EXPECT_THAT(e.standard_error, DoubleNear(std::sqrt(0.75 * squares), 1e-12));
}

// Of few batches a standard error is uncertain itself, and stopping by it
// favours those that are too small: where 95 of 100 would fall within two of
// them, 80 must, and 90 within three.
TEST(Estimate, IsAsSureAsItSays) {
  ListSource samples;
  for (int i = 0; i < 400; ++i)
    samples.add(floats({1 + static_cast<float>((i * 7919) % 400) / 40}));
  auto a = adding(0);
  auto b = tensor_runner([](const Tensor& x) {
    Tensor y = x;
    for (float& v : y.as<float>()) v += std::sin(v * 13) * v / 4;
    return Value(std::move(y));
  });
  const double whole =
      estimate_error(a, b, samples, in_order(400), 0, nullptr)->error;
  int within_two = 0, within_three = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const auto e =
        estimate_error(a, b, samples, shuffled(400, seed), 0.1, nullptr);
    EXPECT_LT(e->samples, 400);
    const double off = std::abs(e->error - whole) / e->standard_error;
    within_two += off <= 2;
    within_three += off <= 3;
  }
  EXPECT_GE(within_two, 80);
  EXPECT_GE(within_three, 90);
}

TEST(Estimate, CountsUnequalElementsOfOthers) {
  ListSource samples;
  samples.add(make_tensor<int64_t>(DType::int64, {1, 4}, {1, 2, 3, 4}));
  auto a = tensor_runner([](const Tensor& x) { return Value(x); });
  auto b = tensor_runner([](const Tensor& x) {
    Tensor y = x;
    y.as<int64_t>()[2] = 9;
    return Value(std::move(y));
  });
  const auto e = estimate_error(a, b, samples, {0}, 0, nullptr);
  EXPECT_THAT(e->error, DoubleNear(0.5, 1e-12));  // sqrt(1 / 4)
}

TEST(Estimate, IsInfiniteWhereAnswersBreak) {
  ListSource samples;
  for (int i = 0; i < 20; ++i) samples.add(floats({1}));
  auto a = adding(0);
  auto b = tensor_runner([](const Tensor&) { return Value(floats({NAN})); });
  auto c = tensor_runner([](const Tensor&) { return Value(floats({1, 2})); });
  auto zero = tensor_runner([](const Tensor&) { return Value(floats({0})); });
  for (auto* broken : {&b, &c}) {
    const auto e =
        estimate_error(a, *broken, samples, in_order(20), 0.05, nullptr);
    EXPECT_EQ(e->error, std::numeric_limits<double>::infinity());
  }
  EXPECT_EQ(
      estimate_error(zero, a, samples, in_order(20), 0.05, nullptr)->error,
      std::numeric_limits<double>::infinity());
  EXPECT_EQ(
      estimate_error(zero, zero, samples, in_order(20), 0.05, nullptr)->error,
      0);
}

TEST(Estimate, EndsWhenStopped) {
  ListSource samples;
  samples.add(floats({1}));
  auto a = adding(0);
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(estimate_error(a, a, samples, {0}, 0, &stop));
}

TEST(Subset, NumbersSamplesAnewAndTakesTheirLabels) {
  ListSource all;
  all.add(floats({1}), 2).add(floats({2}), 1).add(floats({3}), 3);
  const Subset some(all, {2, 0});
  EXPECT_EQ(some.samples(), 5);
  EXPECT_EQ(some.batch(0).first, 0);
  EXPECT_EQ(some.batch(1).first, 3);
  EXPECT_EQ(some.batch(1).feed.inputs[0].second.tensor.as<float>()[0], 1);
  const Tensor labels =
      make_tensor<int64_t>(DType::int64, {6}, {10, 11, 12, 13, 14, 15});
  const Tensor taken = some.labels(labels);
  EXPECT_EQ(taken.shape, Shape{5});
  EXPECT_THAT(std::vector<int64_t>(taken.as<int64_t>().begin(),
                                   taken.as<int64_t>().end()),
              ElementsAre(13, 14, 15, 10, 11));
  Tensor names = make_tensor(DType::string, {6});
  names.strings = {"a", "b", "c", "d", "e", "f"};
  EXPECT_THAT(some.labels(names).strings, ElementsAre("d", "e", "f", "a", "b"));
}

}  // namespace
}  // namespace octavo
