#include "octavo/probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compare/rows.h"
#include "octavo/error.h"
#include "testing/fake_runner.h"

namespace octavo {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::FakeRunner;
using ::testing::HasSubstr;
using testing::ListSource;
using testing::port;

using Function = FakeRunner::Function;

Tensor floats(const Shape& shape, const std::vector<float>& v) {
  return make_tensor<float>(DType::float32, shape, v);
}

std::vector<float> values(const Tensor& t) {
  const auto span = t.as<float>();
  return {span.begin(), span.end()};
}

Value same(const Feed& feed) { return feed.inputs[0].second; }

// Each element over the largest one of the whole batch: what one scale for a
// tensor does, in the extreme.
Value normalized(const Feed& feed) {
  Tensor y = feed.inputs[0].second.tensor;
  float largest = 0;
  for (const float v : y.as<float>()) largest = std::max(largest, v);
  for (float& v : y.as<float>()) v /= largest;
  return y;
}

class Probes : public ::testing::Test {
 protected:
  // Sessions of other options compute `elsewhere`, where there is one.
  ProbeSubject subject(FakeRunner& usual, Function elsewhere = nullptr) {
    if (!elsewhere)
      elsewhere = [&usual](const Feed& f) { return usual.run(f); };
    return {&usual, [&usual, elsewhere](const SessionOptions&) {
              return std::make_unique<FakeRunner>(usual.inputs(),
                                                  usual.outputs(), elsewhere);
            }};
  }
  FakeRunner runner(std::function<Value(const Feed&)> f,
                    std::vector<Port> inputs = {port("x")}) {
    return FakeRunner(std::move(inputs), {port("y")}, [f](const Feed& feed) {
      return std::vector<Value>{f(feed)};
    });
  }
  Probe named(const std::string& name, FakeRunner& a, FakeRunner& b) {
    for (const Probe& p :
         run_probes(subject(a), subject(b), samples_, {{}, 2, nullptr}))
      if (p.name == name) return p;
    ADD_FAILURE() << "no probe " << name;
    return {};
  }

  ListSource samples_;
};

TEST_F(Probes, FindWhatBatchMatesDo) {
  samples_.add(floats({1, 1}, {1})).add(floats({1, 1}, {2}));
  auto a = runner(same), b = runner(normalized);
  const Probe p = named("batch_mates", a, b);
  EXPECT_EQ(p.original->value, 0);
  // Alone, 1 gives 1; beside 20, the largest times ten, 1/20.
  EXPECT_THAT(p.copy->value, DoubleNear(0.95, 1e-6));
  EXPECT_EQ(p.copy->output, "y");
}

TEST_F(Probes, TakeSamplesOutOfBatches) {
  samples_.add(floats({2, 1}, {1, 2}), 2);
  auto a = runner(same), b = runner(normalized);
  EXPECT_THAT(named("batch_mates", a, b).copy->value, DoubleNear(0.95, 1e-6));
}

TEST_F(Probes, NeedABatchThatMayGrow) {
  samples_.add(floats({1, 1}, {1})).add(floats({1, 1}, {2}));
  Port fixed = port("x");
  fixed.has_rank = true;
  fixed.dims = {{1, ""}, {1, ""}};
  auto a = runner(same, {fixed});
  EXPECT_THAT(named("batch_mates", a, a).skipped, HasSubstr("fixed size"));
}

TEST_F(Probes, NeedTwoSamples) {
  samples_.add(floats({1, 1}, {1}));
  auto a = runner(same);
  EXPECT_THAT(named("batch_mates", a, a).skipped, HasSubstr("no two samples"));
}

// Token models: the sum of the ids where the mask is 1, or of all.
class PaddingProbe : public Probes {
 protected:
  static Port tokens(const std::string& name) {
    Port p = port(name, DType::int64);
    p.has_rank = true;
    p.dims = {{-1, "batch"}, {-1, "length"}};
    return p;
  }
  FakeRunner sum(bool masked, int64_t longest = 1000) {
    return runner(
        [masked, longest](const Feed& feed) {
          const Tensor& ids = feed.inputs[0].second.tensor;
          const Tensor& mask = feed.inputs[1].second.tensor;
          if (ids.shape[1] > longest)
            throw Error(ErrorKind::runtime, "too long");
          float total = 0;
          for (size_t i = 0; i < ids.as<int64_t>().size(); ++i)
            if (!masked || mask.as<int64_t>()[i] != 0)
              total += static_cast<float>(ids.as<int64_t>()[i]);
          return Value(floats({1, 1}, {total}));
        },
        {tokens("ids"), tokens("mask")});
  }
  void add(const std::vector<int64_t>& ids, const std::vector<int64_t>& mask) {
    Batch b;
    b.first = samples_.samples();
    b.name = "batch";
    const Shape shape = {1, std::ssize(ids)};
    b.feed.inputs = {{"ids", make_tensor<int64_t>(DType::int64, shape, ids)},
                     {"mask", make_tensor<int64_t>(DType::int64, shape, mask)}};
    samples_.list.push_back(std::move(b));
  }
};

TEST_F(PaddingProbe, PadsAsTheSamplesDo) {
  add({5, 3, 2, 7}, {1, 1, 1, 0});  // 7 is what pads
  auto a = sum(true), b = sum(false);
  const Probe p = named("padding", a, b);
  EXPECT_THAT(p.what, HasSubstr("4 more of padding"));
  EXPECT_EQ(p.original->value, 0);
  EXPECT_THAT(p.copy->value, DoubleNear(4 * 7.0 / 17, 1e-6));
}

TEST_F(PaddingProbe, TakesPaddingAwayWhereNoneCanBeAdded) {
  add({5, 3, 2, 2}, {1, 1, 1, 1});
  add({5, 3, 7, 7}, {1, 1, 0, 0});
  auto a = sum(true, 4), b = sum(false, 4);
  const Probe p = named("padding", a, b);
  EXPECT_EQ(p.skipped, "");
  EXPECT_THAT(p.what, HasSubstr("without its 2 of padding"));
  EXPECT_EQ(p.original->value, 0);
  EXPECT_THAT(p.copy->value, DoubleNear(14.0 / 22, 1e-6));
}

TEST_F(PaddingProbe, IsSkippedWithoutAMask) {
  samples_.add(floats({1, 1}, {1}));
  auto a = runner(same);
  EXPECT_THAT(named("padding", a, a).skipped, HasSubstr("like a mask"));
}

TEST_F(Probes, FindAModelThatDoesNotRepeatItself) {
  samples_.add(floats({1, 1}, {4}));
  float next = 1;
  auto a = runner(same);
  auto b = runner([&](const Feed&) { return Value(floats({1, 1}, {next++})); });
  EXPECT_EQ(named("repetition", a, b).original->value, 0);
  EXPECT_GT(named("repetition", a, b).copy->value, 0);
}

TEST_F(Probes, FindSessionsThatDiffer) {
  samples_.add(floats({1, 1}, {4}));
  auto a = runner(same);
  const auto off = [](const Feed&) {
    return std::vector<Value>{floats({1, 1}, {5})};
  };
  std::vector<SessionOptions> asked;
  ProbeSubject usual = subject(a), other = subject(a, off);
  const auto inner = other.open;
  other.open = [&](const SessionOptions& o) {
    asked.push_back(o);
    return inner(o);
  };
  const auto probes = run_probes(usual, other, samples_, {{}, 2, nullptr});
  ASSERT_EQ(probes.size(), 5);
  EXPECT_EQ(probes[3].name, "threads");
  EXPECT_EQ(probes[4].name, "optimization");
  for (const size_t i : {3, 4}) {
    EXPECT_EQ(probes[i].original->value, 0);
    EXPECT_THAT(probes[i].copy->value, DoubleNear(0.25, 1e-9));
  }
  ASSERT_EQ(asked.size(), 2);
  EXPECT_TRUE(asked[0].single_thread);
  EXPECT_EQ(asked[1].optimization, Optimization::disabled);
}

TEST_F(Probes, SayWhichModelFails) {
  samples_.add(floats({1, 1}, {1})).add(floats({1, 1}, {2}));
  auto a = runner(same);
  auto b = runner([](const Feed& feed) {
    if (feed.inputs[0].second.tensor.shape[0] > 1)
      throw Error(ErrorKind::runtime, "only one at a time");
    return same(feed);
  });
  const Probe p = named("batch_mates", a, b);
  EXPECT_THAT(p.skipped, HasSubstr("the copy fails at it: only one"));
  EXPECT_FALSE(p.original || p.copy);
}

TEST_F(Probes, EndWhenStopped) {
  samples_.add(floats({1, 1}, {1}));
  auto a = runner(same);
  const std::atomic<bool> stop = true;
  const auto probes =
      run_probes(subject(a), subject(a), samples_, {{}, 2, &stop});
  EXPECT_EQ(probes.size(), 5u);
  for (const Probe& p : probes) EXPECT_THAT(p.skipped, HasSubstr("interrupt"));
  EXPECT_EQ(a.runs, 0);
}

TEST(Rows, AreTakenOutAndPutTogether) {
  const Value batch(floats({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(values(*row_of(batch, 1, 3)), ElementsAre(3, 4));
  EXPECT_FALSE(row_of(batch, 0, 2));
  EXPECT_FALSE(row_of(Value(floats({}, {1})), 0, 1));
  // Three rows of three 4-bit elements share bytes.
  EXPECT_FALSE(row_of(Value(make_tensor(DType::int4, {3, 3})), 0, 3));
  const std::vector<Feed> rows = {{{{"x", *row_of(batch, 2, 3)}}},
                                  {{{"x", *row_of(batch, 0, 3)}}}};
  const auto both = stacked(rows);
  EXPECT_THAT(values(both->inputs[0].second.tensor), ElementsAre(5, 6, 1, 2));
  const std::vector<Feed> unlike = {{{{"x", floats({1, 2}, {1, 2})}}},
                                    {{{"x", floats({1, 1}, {1})}}}};
  EXPECT_FALSE(stacked(unlike));
}

TEST(Rows, GrowAndShrinkAlongAnAxis) {
  const Tensor t = floats({2, 2}, {1, 2, 3, 4});
  const float nine = 9;
  const Tensor more = padded(t, 1, 2, std::as_bytes(std::span(&nine, 1)));
  EXPECT_EQ(more.shape, (Shape{2, 4}));
  EXPECT_THAT(values(more), ElementsAre(1, 2, 9, 9, 3, 4, 9, 9));
  EXPECT_THAT(values(cut(more, 1, 2)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(cut(more, 0, 1)), ElementsAre(1, 2, 9, 9));
}

}  // namespace
}  // namespace octavo
