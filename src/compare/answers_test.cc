#include "compare/answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "octavo/error.h"

namespace octavo {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(TopOf, TakesTheLowestIndexAndSaysTies) {
  const auto top = [](std::vector<double> v) { return top_of(v); };
  EXPECT_EQ(top({1, 3, 2}).answer, 1);
  EXPECT_EQ(top({1, 3, 2}).gap, 1);
  EXPECT_EQ(top({3, 1, 3}).answer, 0);
  EXPECT_TRUE(top({3, 1, 3}).tie);
  EXPECT_EQ(top({3, 1, 3}).gap, 0);
  EXPECT_FALSE(top({1, 1, 2}).tie);  // a tie of lesser scores is none
  EXPECT_EQ(top({1, 1, 2}).gap, 1);
  EXPECT_EQ(top({kNaN, -5, kNaN}).answer, 1);  // NaN is never the best
  EXPECT_EQ(top({kNaN, kNaN}).answer, -1);
  EXPECT_TRUE(top({-kInf, -kInf}).tie);
  EXPECT_EQ(top({kInf, kInf}).gap, 0);
}

Tensor rows(int64_t n, const std::vector<float>& scores) {
  return make_tensor<float>(DType::float32, {n, std::ssize(scores) / n},
                            scores);
}

// Labels of the samples 0, 1, ...
Tensor classes(const std::vector<int64_t>& labels) {
  return make_tensor<int64_t>(DType::int64, {std::ssize(labels)}, labels);
}

TEST(Answers, CountsCorrectFlippedAndTies) {
  // Answers of the original: 0 1 1 0(tie); of the copy: 0 0 0 1.
  // Labels 0 1 0 1: sample 1 becomes wrong, 2 right, 3 right.
  AnswerStats s;
  const Tensor labels = classes({9, 9, 0, 1, 0, 1});
  update(s, rows(4, {2, 1, 1, 4, 0, 1, 5, 5}),
         rows(4, {2, 1, 4, 1, 1, 0, 5, 6}), Labels(labels),
         Place{0, 2, 4, "y"});
  const AnswerSummary a = finish(s);
  EXPECT_EQ(a.samples, 4);
  EXPECT_EQ(a.reference_correct, 2);
  EXPECT_EQ(a.candidate_correct, 3);
  EXPECT_EQ(a.flipped, 3);
  EXPECT_EQ(a.flipped_to_wrong, 1);
  EXPECT_EQ(a.flipped_to_right, 2);
  EXPECT_EQ(a.reference_ties, 1);
  EXPECT_EQ(a.candidate_ties, 0);
  // The last label, 1, has the best score, but so has the class 0; and the
  // copy's 1 is one of the original's best.
  EXPECT_EQ(a.reference_tied_wrong, 1);
  EXPECT_EQ(a.candidate_tied_wrong, 0);
  EXPECT_EQ(a.flipped_by_tie, 1);
  EXPECT_EQ(a.accuracy_drop(), -0.25);
  ASSERT_EQ(a.first_flips.size(), 3u);
  EXPECT_EQ(a.first_flips[0].sample, 3);
  EXPECT_EQ(a.first_flips[0].reference_gap, 3);
  EXPECT_EQ(a.first_flips[0].candidate_gap, 3);
  EXPECT_EQ(a.first_flips[0].candidate_answer, 0);
}

TEST(Answers, MergeKeepsTheFirstTenFlipsByIndex) {
  AnswerStats low, high;
  for (int64_t i = 0; i < 12; ++i) {
    const Tensor labels = classes(std::vector<int64_t>(12, 0));
    update(i < 6 ? low : high, rows(1, {1, 0}), rows(1, {0, 1}), Labels(labels),
           Place{i, i, 1, "y"});
  }
  merge(high, answer_stats_from_bytes(to_bytes(low)));
  const AnswerSummary a = finish(high);
  EXPECT_EQ(a.flipped, 12);
  ASSERT_EQ(a.first_flips.size(), 10u);
  EXPECT_EQ(a.first_flips.front().sample, 0);
  EXPECT_EQ(a.first_flips.back().sample, 9);
}

TEST(Answers, AcceptsAxesOfLengthOneAndHalves) {
  AnswerStats s;
  const Tensor labels = classes({1});
  const Tensor wide =
      make_tensor<float>(DType::float32, {1, 3, 1, 1}, {0, 1, 0});
  update(s, wide, wide, Labels(labels), Place{.path = "y"});
  // float16 1 = 0x3c00.
  const Tensor half =
      make_tensor<uint16_t>(DType::float16, {1, 2}, {0, 0x3c00});
  update(s, half, half, Labels(labels), Place{.path = "y"});
  EXPECT_EQ(finish(s).reference_correct, 2);
}

void expect_usage(const Tensor& t, const Tensor& labels, const char* words) {
  AnswerStats s;
  Place place{.path = "y"};
  place.count = labels.shape[0];
  try {
    update(s, t, t, Labels(labels), place);
    ADD_FAILURE() << words;
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(Answers, RefusesWhatIsNoRowOfScores) {
  const char* rows_wanted = "one row of scores";
  expect_usage(make_tensor(DType::float32, {2, 3, 4}), classes({0, 0}),
               rows_wanted);
  expect_usage(make_tensor(DType::float32, {6}), classes({0, 0}), rows_wanted);
  expect_usage(make_tensor(DType::float32, {3, 2}), classes({0, 0}),
               rows_wanted);
  expect_usage(make_tensor(DType::float32, {2, 1}), classes({0, 0}),
               rows_wanted);
  expect_usage(make_tensor(DType::float32, {2, 0}), classes({0, 0}),
               rows_wanted);
  expect_usage(make_tensor(DType::int64, {2, 3}), classes({0, 0}), rows_wanted);
  expect_usage(make_tensor(DType::float32, {2, 3}), classes({0, 3}),
               "label of sample 1 is 3");
  expect_usage(make_tensor(DType::float32, {1, 3}), classes({-1}),
               "label of sample 0 is -1");
}

}  // namespace
}  // namespace octavo
