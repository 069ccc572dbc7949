#include "compare/task_stats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "octavo/error.h"

namespace octavo {
namespace {

using ::testing::HasSubstr;

Tensor floats(Shape shape, const std::vector<float>& values) {
  return make_tensor<float>(DType::float32, std::move(shape), values);
}

Tensor integers(Shape shape, const std::vector<int64_t>& values) {
  return make_tensor<int64_t>(DType::int64, std::move(shape), values);
}

Tensor doubles(const std::vector<double>& values) {
  return make_tensor<double>(DType::float64, {std::ssize(values)}, values);
}

Tensor texts(const std::vector<std::string>& values) {
  Tensor t = make_tensor(DType::string, {std::ssize(values)});
  t.strings = values;
  return t;
}

// scikit-learn's ZipMap: for each sample a map from class to score.
Value zip_map(const Tensor& keys, const std::vector<std::vector<float>>& rows) {
  Value sequence;
  sequence.kind = ValueKind::sequence;
  for (const auto& row : rows) {
    Value map;
    map.kind = ValueKind::map;
    map.items = {keys, floats({std::ssize(row)}, row)};
    sequence.items.push_back(map);
  }
  return sequence;
}

struct TaskRun {
  CompareOptions options;
  TaskStats stats;

  TaskRun(Tensor labels, std::vector<std::string> metrics) {
    options.labels = std::move(labels);
    for (const std::string& name : metrics)
      options.metrics.push_back(parse_metric(name));
  }
  void add(const Value& reference, const Value& candidate, int64_t first,
           int64_t count) {
    const std::vector<OutputPair> pairs = {{"y", 0, 0}};
    const Task task(options, pairs);
    task.update(stats, {reference}, {candidate}, Place{0, first, count, ""});
  }
  std::vector<MetricSummary> metrics() const {
    return finish(stats, 0).metrics;
  }
};

// All metrics of one batch.
std::vector<MetricSummary> metrics_of(const Tensor& labels, const Value& r,
                                      const Value& c,
                                      std::vector<std::string> names) {
  TaskRun run(labels, std::move(names));
  run.add(r, c, 0, labels.shape.empty() ? 1 : labels.shape[0]);
  return run.metrics();
}

std::string error_of(const Tensor& labels, const Value& v,
                     std::vector<std::string> names) {
  try {
    metrics_of(labels, v, v, std::move(names));
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    return e.what();
  }
  return "no error";
}

TEST(Metrics, NamesGoBothWays) {
  for (const char* name :
       {"accuracy", "top-3", "f1-macro", "f1-micro", "auc", "mae", "rmse", "r2",
        "perplexity", "cosine-retrieval"})
    EXPECT_EQ(metric_name(parse_metric(name)), name);
  EXPECT_EQ(metric_name(parse_metric("top-k")), "top-5");
  EXPECT_EQ(metric_name(parse_metric("f1")), "f1-macro");
  for (const char* name : {"top-0", "top--1", "top-x", "acuracy", ""})
    EXPECT_THROW(parse_metric(name), Error) << name;
}

TEST(Metrics, MacroF1IsTheMeanOverClasses) {
  // Answers 0 2 1 0 0 1 to labels 0 1 2 0 1 2: class 0 has 2 hits, 2 labels
  // and 3 answers, F1 4/5; the others have no hit. The copy is all right.
  const std::vector<int> answers = {0, 2, 1, 0, 0, 1},
                         labels = {0, 1, 2, 0, 1, 2};
  std::vector<float> r(18, 0), c(18, 0);
  for (size_t i = 0; i < 6; ++i) {
    r[i * 3 + static_cast<size_t>(answers[i])] = 1;
    c[i * 3 + static_cast<size_t>(labels[i])] = 1;
  }
  const auto m =
      metrics_of(integers({6}, {0, 1, 2, 0, 1, 2}), floats({6, 3}, r),
                 floats({6, 3}, c), {"f1", "f1-micro", "accuracy"});
  ASSERT_EQ(m.size(), 3u);
  EXPECT_DOUBLE_EQ(*m[0].reference, 0.8 / 3);
  EXPECT_DOUBLE_EQ(*m[0].candidate, 1);
  EXPECT_DOUBLE_EQ(*m[1].reference, 2.0 / 6);
  EXPECT_EQ(*m[1].reference, *m[2].reference);
  EXPECT_DOUBLE_EQ(*m[2].difference, 4.0 / 6);
  EXPECT_DOUBLE_EQ(*m[2].p, 2.0 / 16);  // four gained, none lost
}

TEST(Metrics, TopKCountsLabelsAmongTheBest) {
  // Ranks of the label 2: 0, 1, 2 and, by a tie with a lower index, 1.
  const Tensor scores = floats({4, 3}, {0, 1, 2, 0, 2, 1, 2, 1, 0, 0, 1, 1});
  const auto m = metrics_of(integers({4}, {2, 2, 2, 2}), scores, scores,
                            {"top-1", "top-2", "top-3", "top-9"});
  EXPECT_EQ(*m[0].reference, 0.25);
  EXPECT_EQ(*m[1].reference, 0.75);
  EXPECT_EQ(*m[2].reference, 1);
  EXPECT_EQ(*m[3].reference, 1);
}

TEST(Metrics, ErrorsOfValuesHaveClosedForms) {
  // Errors 0.5, 0.5, 0, 1: squares 1.5. The right values' mean is 2.875,
  // their squared distances from it sum to 29.1875.
  const Tensor labels = doubles({3, -0.5, 2, 7});
  const auto m =
      metrics_of(labels, floats({4}, {2.5f, 0, 2, 8}),
                 floats({4}, {3, -0.5f, 2, 7}), {"mae", "rmse", "r2"});
  EXPECT_DOUBLE_EQ(*m[0].reference, 0.5);
  EXPECT_DOUBLE_EQ(*m[1].reference, std::sqrt(1.5 / 4));
  EXPECT_DOUBLE_EQ(*m[2].reference, 1 - 1.5 / 29.1875);
  EXPECT_EQ(*m[0].candidate, 0);
  EXPECT_EQ(*m[2].candidate, 1);
  EXPECT_EQ(*m[0].loss(), -0.5);  // lower is better
  EXPECT_NEAR(*m[2].loss(), -1.5 / 29.1875, 1e-15);
}

TEST(Metrics, AreChosenByTheLabels) {
  const auto names = [](const Tensor& labels, const Value& v) {
    std::string out;
    for (const MetricSummary& m : metrics_of(labels, v, v, {}))
      out += m.name + " ";
    return out;
  };
  const Tensor column = floats({2, 1}, {1, 2}),
               table = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(names(doubles({0.5, 1}), column), "mae rmse ");
  EXPECT_EQ(names(doubles({0, 1}), column), "mae rmse ");
  EXPECT_EQ(names(doubles({0, 1}), table), "accuracy ");
  EXPECT_EQ(names(integers({2}, {0, 1}), table), "accuracy ");
}

TEST(Metrics, R2IsUndefinedForEqualValues) {
  const Tensor same = floats({2}, {1, 2});
  const auto m = metrics_of(doubles({3, 3}), same, same, {"r2"});
  EXPECT_FALSE(m[0].reference);
  EXPECT_THAT(m[0].note, HasSubstr("equal"));
  const Tensor nan = floats({2}, {1, std::nanf("")});
  const auto n = metrics_of(doubles({3, 4}), same, nan, {"mae"});
  EXPECT_FALSE(n[0].candidate);
  EXPECT_THAT(n[0].note, HasSubstr("NaN"));
}

TEST(Metrics, AucCountsPairsAndHalvesTies) {
  const Tensor labels = integers({4}, {0, 0, 1, 1});
  // 0.35 is above 0.1 but below 0.4: 3 of 4 pairs. With 0.4 twice: 3.5.
  const auto m = metrics_of(labels, floats({4}, {0.1f, 0.4f, 0.35f, 0.8f}),
                            floats({4}, {0.1f, 0.4f, 0.4f, 0.8f}), {"auc"});
  EXPECT_EQ(*m[0].reference, 0.75);
  EXPECT_EQ(*m[0].candidate, 0.875);
  // Of logits the lead ranks, not the second alone: leads -1, 1, 0, 2.
  const Tensor logits = floats({4, 2}, {9, 8, 0, 1, 5, 5, 1, 3});
  EXPECT_EQ(*metrics_of(labels, logits, logits, {"auc"})[0].reference, 0.75);
  // Of saturated probabilities the second: 1e-30 is below 1e-20.
  const Tensor sure =
      floats({4, 2}, {1, 1e-30f, 1, 1e-25f, 1, 1e-20f, 1, 1e-10f});
  EXPECT_EQ(*metrics_of(labels, sure, sure, {"auc"})[0].reference, 1);
  const auto one = metrics_of(integers({2}, {1, 1}), floats({2}, {1, 2}),
                              floats({2}, {1, 2}), {"auc"});
  EXPECT_FALSE(one[0].reference);
}

TEST(Metrics, PerplexityOfEqualLogitsIsTheVocabulary) {
  // Padding (-100) does not count.
  const Tensor labels = integers({2, 2}, {0, 3, 1, -100});
  const Tensor flat = floats({2, 2, 4}, std::vector<float>(16, 5));
  // As probabilities: each label has 1/2.
  std::vector<float> half(16, 0);
  for (const size_t i : {0, 4 + 3, 8 + 1, 12}) half[i] = 0.5f;
  for (const size_t i : {1, 4, 8, 13}) half[i] = 0.5f;
  EXPECT_NEAR(*metrics_of(labels, flat, flat, {"perplexity"})[0].reference, 4,
              1e-12);
  const Tensor p = floats({2, 2, 4}, half);
  EXPECT_NEAR(*metrics_of(labels, p, p, {"perplexity"})[0].reference, 2, 1e-12);
}

TEST(Metrics, RetrievalAsksTheNearestOther) {
  // Two directions; the copy turns the third into the other one. The sample
  // "lone" has no second of its label. Nearest of a is b and so on.
  const Tensor labels = texts({"u", "u", "v", "v", "lone"});
  const Tensor r = floats({5, 2}, {1, 0, 2, 0.1f, 0, 1, 0.1f, 3, -1, -1});
  const Tensor c = floats({5, 2}, {1, 0, 2, 0.1f, 1, 0, 0.1f, 3, -1, -1});
  const auto m = metrics_of(labels, r, c, {"cosine-retrieval"});
  EXPECT_EQ(m[0].samples, 4);
  EXPECT_EQ(*m[0].reference, 1);
  // Now the first's nearest is the third (cosine 1), the third's the first,
  // the fourth's the second (0.1 x 2 + 3 x 0.1 against 0.1, over lengths), and
  // the second's the first, the lowest of two that are as near.
  EXPECT_EQ(*m[0].candidate, 0.25);
  EXPECT_THAT(m[0].note, HasSubstr("1 sample(s) left out"));
}

TEST(Metrics, ReadZipMapsByTheirOwnClasses) {
  const Tensor names = texts({"cat", "dog"});
  const Value r = zip_map(names, {{0.9f, 0.1f}, {0.2f, 0.8f}, {0.6f, 0.4f}});
  const Value c = zip_map(names, {{0.9f, 0.1f}, {0.7f, 0.3f}, {0.4f, 0.6f}});
  TaskRun run(texts({"cat", "dog", "dog"}), {"accuracy", "auc"});
  run.add(r, c, 0, 3);
  const TaskSummary s = finish(run.stats, 0);
  EXPECT_DOUBLE_EQ(*s.metrics[0].reference, 2.0 / 3);
  EXPECT_DOUBLE_EQ(*s.metrics[0].candidate, 2.0 / 3);
  // "dog" is positive: 0.8 and 0.4 against 0.1.
  EXPECT_EQ(*s.metrics[1].reference, 1);
  EXPECT_EQ(s.answers->names, (std::vector<std::string>{"cat", "dog"}));
  ASSERT_EQ(s.answers->first_flips.size(), 2u);
  EXPECT_EQ(s.answers->names[static_cast<size_t>(
                s.answers->first_flips[0].candidate_answer)],
            "cat");
  EXPECT_THAT(error_of(texts({"cat", "cow", "dog"}), r, {"accuracy"}),
              HasSubstr("'cow', but y has the classes 'cat' and 'dog'"));
  const Value numbered = zip_map(integers({2}, {7, 3}), {{0, 1}, {1, 0}});
  EXPECT_EQ(
      *metrics_of(integers({2}, {3, 3}), numbered, numbered, {"accuracy"})[0]
           .reference,
      0.5);
}

TEST(Metrics, ReadClassesThatAModelGivesItself) {
  const auto m = metrics_of(texts({"a", "b"}), texts({"a", "a"}),
                            texts({"b", "b"}), {"accuracy"});
  EXPECT_EQ(*m[0].reference, 0.5);
  EXPECT_EQ(*m[0].candidate, 0.5);
  const Tensor given = integers({2}, {4, 5});
  EXPECT_EQ(*metrics_of(given, given, given, {"accuracy"})[0].reference, 1);
  EXPECT_THAT(error_of(given, given, {"top-2"}), HasSubstr("needs scores"));
  EXPECT_THAT(error_of(texts({"a", "b"}), given, {"accuracy"}),
              HasSubstr("classes by number"));
}

TEST(Metrics, RefuseOutputsThatDoNotFit) {
  const Tensor table = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor labels = integers({2}, {0, 1});
  EXPECT_THAT(error_of(labels, table, {"mae"}), HasSubstr("1 value(s)"));
  EXPECT_THAT(error_of(labels, table, {"auc"}), HasSubstr("one or two"));
  EXPECT_THAT(error_of(integers({2, 2}, {0, 1, 0, 1}), table, {"perplexity"}),
              HasSubstr("a row of scores for each label"));
  EXPECT_THAT(error_of(integers({2}, {0, 3}), table, {"perplexity"}),
              HasSubstr("scores the tokens 0 to 2"));
  EXPECT_THAT(error_of(doubles({0, 0.5}), table, {"perplexity"}),
              HasSubstr("whole numbers"));
  EXPECT_THAT(error_of(labels, floats({2, 1}, {1, 2}), {"cosine-retrieval"}),
              HasSubstr("one vector"));
  EXPECT_THAT(error_of(texts({"a", "b"}), table, {"accuracy"}),
              HasSubstr("scores by number"));
  EXPECT_THAT(error_of(texts({"a", "b"}), floats({2}, {1, 2}), {"mae"}),
              HasSubstr("need numbers"));
  EXPECT_THAT(error_of(integers({2}, {0, 2}), floats({2}, {1, 2}), {"auc"}),
              HasSubstr("'0' and '1'"));
  EXPECT_THAT(error_of(integers({}, {0}), table, {}), HasSubstr("[N]"));
  for (const char* name : {"accuracy", "auc", "cosine-retrieval"})
    EXPECT_THAT(error_of(integers({2, 2}, {0, 1, 0, 1}), table, {name}),
                HasSubstr("one for each sample"));
}

// Every kind of metric over two batches, in shards that end in any order.
TEST(TaskStats, ShardsThroughBytesGiveWhatOneRunGives) {
  const Tensor labels = integers({6}, {0, 1, 1, 0, 1, 0});
  const std::vector<std::string> names = {
      "accuracy", "f1", "f1-micro", "auc", "perplexity", "cosine-retrieval"};
  const auto batch = [](float shift) {
    return floats({3, 2}, {shift, 1, 2, shift, -1, 3 - shift});
  };
  TaskRun whole(labels, names), first(labels, names), second(labels, names);
  whole.add(batch(0), batch(0.5f), 0, 3);
  whole.add(batch(1.25f), batch(1.75f), 3, 3);
  first.add(batch(0), batch(0.5f), 0, 3);
  second.add(batch(1.25f), batch(1.75f), 3, 3);
  TaskStats merged = task_stats_from_bytes(to_bytes(second.stats));
  merge(merged, task_stats_from_bytes(to_bytes(first.stats)));
  const auto a = whole.metrics(), b = finish(merged, 0).metrics;
  ASSERT_EQ(a.size(), names.size());
  ASSERT_EQ(b.size(), names.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].reference, b[i].reference) << a[i].name;
    EXPECT_EQ(a[i].candidate, b[i].candidate) << a[i].name;
    ASSERT_EQ(a[i].interval.has_value(), b[i].interval.has_value());
    if (a[i].interval) {
      EXPECT_EQ(a[i].interval->low, b[i].interval->low) << a[i].name;
      EXPECT_EQ(a[i].interval->high, b[i].interval->high) << a[i].name;
    }
  }
}

TEST(TaskStats, MergingRenumbersNamedClasses) {
  TaskRun first(texts({"x", "y", "z"}), {"accuracy"});
  TaskRun second = first;
  first.add(texts({"x", "y"}), texts({"x", "x"}), 0, 2);
  second.add(texts({"z"}), texts({"y"}), 2, 1);
  TaskStats merged = first.stats;
  merge(merged, second.stats);
  const TaskSummary s = finish(merged, 0);
  ASSERT_EQ(s.answers->first_flips.size(), 2u);
  const Flip& f = s.answers->first_flips[1];
  EXPECT_EQ(s.answers->names[static_cast<size_t>(f.label)], "z");
  EXPECT_EQ(s.answers->names[static_cast<size_t>(f.candidate_answer)], "y");
  EXPECT_EQ(s.answers->reference_correct, 3);
}

TEST(TaskStats, DamagedBytesAreAnError) {
  TaskRun run(integers({2}, {0, 1}), {"accuracy", "auc", "cosine-retrieval"});
  run.add(floats({2, 2}, {1, 0, 0, 1}), floats({2, 2}, {1, 0, 0, 1}), 0, 2);
  const std::vector<std::byte> bytes = to_bytes(run.stats);
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(task_stats_from_bytes(Bytes(bytes).first(n)), Error) << n;
  // Any single damaged byte is refused or gives some statistics; never a crash.
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> bad = bytes;
    bad[i] ^= std::byte{0xff};
    try {
      finish(task_stats_from_bytes(bad), 0);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::format);
    }
  }
}

TEST(TaskStats, BatchesOfUnequalFormAreCountedApart) {
  TaskRun run(integers({3}, {0, 1, 0}), {"accuracy"});
  run.add(floats({2, 2}, {1, 0, 0, 1}), floats({2, 2}, {1, 0, 0, 1}), 0, 2);
  run.add(floats({1, 2}, {1, 0}), floats({1, 3}, {1, 0, 0}), 2, 1);
  const TaskSummary s = finish(run.stats, 0);
  EXPECT_EQ(s.answers->uncounted, 1);
  EXPECT_EQ(s.metrics[0].samples, 2);
  EXPECT_EQ(s.metrics[0].uncounted, 1);
}

}  // namespace
}  // namespace octavo
