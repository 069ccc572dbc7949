#include "octavo/sensitivity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "octavo/error.h"
#include "testing/both.h"
#include "testing/fake_runner.h"
#include "testing/temp_folder.h"

namespace octavo {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using testing::TempFolder;
using testing::TinyModel;

// For x = [0, 255] the first layer is exact in int8, and the second one is off
// by 762 in each of two elements (see switch_test.cc).
class Sensitivity : public ::testing::Test {
 protected:
  void SetUp() override {
    TinyModel m;
    m.input("x", DType::float32, {1, 2});
    m.floats("W1", {2, 2}, {127, 1, 2, -127});
    m.floats("W2", {2, 2}, {127, 0, 0, 127});
    m.node("MatMul", {"x", "W1"}, {"p"}, "one");
    m.node("MatMul", {"p", "W2"}, {"q"}, "two");
    m.output("q", DType::float32, {1, 2});
    std::ofstream(model(), std::ios::binary) << m.bytes();
    samples_.add(make_tensor<float>(DType::float32, {1, 2}, {0, 255}));
    options_.scratch = folder_.path();
  }

  std::filesystem::path model() const { return folder_.path() / "net.onnx"; }
  SensitivityResult measure() {
    return measure_sensitivity(testing::runtime_or_null(), model(),
                               testing::all_sizes(), samples_, options_);
  }
  const double second_ = 762 * std::sqrt(2) / (127 * std::hypot(510, 32385));

  TempFolder folder_;
  testing::ListSource samples_;
  SensitivityOptions options_;
};

TEST_F(Sensitivity, TellsTheLayerThatCosts) {
  OCTAVO_NEED_RUNTIME();
  for (const bool switches : {true, false}) {
    options_.switches = switches;
    const SensitivityResult r = measure();
    ASSERT_EQ(r.layers.size(), 2);
    EXPECT_EQ(r.layers[0].decision.node, "one");
    EXPECT_EQ(r.layers[0].switched, switches);
    EXPECT_EQ(r.layers[0].alone->value, 0);
    EXPECT_THAT(r.layers[0].without->value, DoubleNear(second_, 1e-9));
    EXPECT_THAT(r.layers[1].alone->value, DoubleNear(second_, 1e-9));
    EXPECT_EQ(r.layers[1].without->value, 0);
    EXPECT_THAT(r.all->value, DoubleNear(second_, 1e-9));
    EXPECT_EQ(r.evaluations, 5);  // of 3 mixtures
    EXPECT_EQ(r.sessions, switches ? 1 : 3);
    EXPECT_FALSE(r.partial);
  }
}

TEST_F(Sensitivity, IsOfAnyMeasurement) {
  OCTAVO_NEED_RUNTIME();
  options_.by = "q.max_abs";
  EXPECT_EQ(measure().layers[1].alone->value, 762);
  options_.by = "q.cosine";  // its best value is high
  EXPECT_LT(measure().layers[1].alone->value, -0.999);
  options_.by = "q.max_ab";
  try {
    measure();
    FAIL() << "took a measurement that is none";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'q.max_abs'"));
  }
}

TEST_F(Sensitivity, MeasuresNothingTwice) {
  OCTAVO_NEED_RUNTIME();
  options_.state = folder_.path() / "state.json";
  const SensitivityResult first = measure();
  EXPECT_EQ(first.recalled, 0);
  const SensitivityResult second = measure();
  EXPECT_EQ(second.recalled, 5);
  EXPECT_EQ(second.sessions, 0);
  EXPECT_EQ(second.layers[1].alone->value, first.layers[1].alone->value);
  // Other weights' forms are another question, with the same nodes.
  Recipe per_tensor = testing::all_sizes();
  per_tensor.per_channel = false;
  EXPECT_EQ(measure_sensitivity(testing::runtime_or_null(), model(), per_tensor,
                                samples_, options_)
                .evaluations,
            5);
  // Other samples are no file for these.
  samples_.add(make_tensor<float>(DType::float32, {1, 2}, {1, 2}));
  try {
    measure();
    FAIL() << "took figures of other samples";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("was written for other samples"));
  }
}

TEST_F(Sensitivity, RefusesAStateFileThatIsNone) {
  OCTAVO_NEED_RUNTIME();
  options_.state = folder_.path() / "state.json";
  for (const char* text :
       {"", "[]", "{\"schema\": \"octavo.state/1\"}",
        "[[[[[[[[[[[[]]]]]]]]]]]]",
        "{\"schema\": \"octavo.state/1\", \"question\": {\"model\": 1}, "
        "\"known\": {}}"}) {
    std::ofstream(options_.state) << text;
    EXPECT_THROW(measure(), Error) << text;
  }
}

TEST_F(Sensitivity, EndsWithWhatItHasWhenStopped) {
  OCTAVO_NEED_RUNTIME();
  std::atomic<bool> stop = false;
  options_.stop = &stop;
  options_.progress = [&](int64_t done, int64_t) { stop = done == 2; };
  const SensitivityResult r = measure();
  EXPECT_TRUE(r.partial);
  EXPECT_TRUE(r.all && r.layers[0].alone);
  EXPECT_FALSE(r.layers[0].without || r.layers[1].alone);
}

TEST_F(Sensitivity, SaysThatNothingIsQuantized) {
  OCTAVO_NEED_RUNTIME();
  EXPECT_THROW(measure_sensitivity(testing::runtime_or_null(), model(),
                                   Recipe(), samples_, options_),
               Error);
}

}  // namespace
}  // namespace octavo
