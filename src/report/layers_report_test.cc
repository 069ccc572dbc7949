#include "report/layers_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace octavo {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

LayerError layer(const std::string& node, std::optional<double> alone,
                 double in_copy) {
  LayerError l;
  l.node = node;
  l.value = "value of " + node;
  l.before = "MatMul";
  l.after = "MatMulInteger";
  l.cumulative.sqnr_db = in_copy;
  l.cumulative.max_abs = 0.5;
  if (alone) {
    l.isolated.emplace();
    l.isolated->sqnr_db = alone;
  }
  return l;
}

TEST(LayersText, ListsTheWorstAloneFirst) {
  LayersResult r;
  r.layers = {layer("good", 50, 20), layer("bad", 10, 30),
              layer("joined", std::nullopt, 25)};
  const std::string text = layers_text(r, {});
  EXPECT_LT(text.find("bad"), text.find("joined"));
  EXPECT_LT(text.find("joined"), text.find("good"));
  EXPECT_THAT(text, HasSubstr("joined         -        25.0"));
  EXPECT_THAT(text, Not(HasSubstr("the worst")));
  r.partial = true;
  EXPECT_THAT(layers_text(r, {}), HasSubstr("stopped early"));
}

TEST(LayersText, ShowsTenAndTellsOfHowMany) {
  LayersResult r;
  for (int i = 0; i < 30; ++i)
    r.layers.push_back(layer(fmt::format("<{}>", i), 60 - i, 20));
  const std::string text = layers_text(r, {});
  EXPECT_THAT(text, HasSubstr("the worst 10 of 30"));
  EXPECT_THAT(text, HasSubstr("<20>"));
  EXPECT_THAT(text, Not(HasSubstr("<19>")));
}

TEST(LayersText, LeavesLongNamesWhole) {
  LayersResult r;
  r.layers = {layer("/encoder/layer.11/attention/output/dense/MatMul", 50, 20)};
  EXPECT_THAT(layers_text(r, {}),
              HasSubstr("/encoder/layer.11/attention/output/dense/MatMul"));
}

TEST(LayersText, SaysExactAndNone) {
  LayersResult r;
  EXPECT_THAT(layers_text(r, {}), HasSubstr("none of the model's own graph"));
  r.layers = {layer("", std::numeric_limits<double>::infinity(), 20)};
  EXPECT_THAT(layers_text(r, {}), HasSubstr("value of"));
  EXPECT_THAT(layers_text(r, {}), HasSubstr("exact"));
  EXPECT_EQ(finite_sqnr(*r.layers[0].isolated), std::nullopt);
  EXPECT_EQ(finite_sqnr(r.layers[0].cumulative), 20);
}

TEST(LayersJson, KeepsTheModelsOrderAndBothErrors) {
  LayersResult r;
  r.samples = 7;
  r.layers = {layer("good", 50, 20), layer("joined", std::nullopt, 25)};
  const Json j = layers_json(r);
  EXPECT_EQ(j["samples"], 7);
  EXPECT_EQ(j["nodes"][0]["node"], "good");
  EXPECT_EQ(j["nodes"][0]["isolated"]["sqnr_db"], 50);
  EXPECT_EQ(j["nodes"][0]["cumulative"]["sqnr_db"], 20);
  EXPECT_TRUE(j["nodes"][1]["isolated"].is_null());
}

}  // namespace
}  // namespace octavo
