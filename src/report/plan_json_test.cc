#include "report/plan_json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "octavo/error.h"
#include "octavo/quantize.h"
#include "testing/tiny_model.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::TinyModel;

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "(no error)";
}

std::vector<std::string> fates(const Plan& plan) {
  std::vector<std::string> out;
  for (const Decision& d : plan.decisions)
    out.push_back(d.node + " " + action_name(d.action));
  return out;
}

// What is written and read back plans the same.
TEST(PlanJson, GoesOutAndComesBack) {
  for (const auto& file :
       fs::directory_iterator(fs::path(OCTAVO_SOURCE_DIR) / "models")) {
    if (file.path().extension() != ".onnx") continue;
    SCOPED_TRACE(file.path());
    const Model model = open_model(file.path());
    Recipe recipe;
    recipe.per_channel = false;
    recipe.min_bytes = 100;
    recipe.reduce_range = true;
    recipe.weights = WeightForm::int4;
    recipe.scaling = Scaling::mse;
    recipe.block = 64;
    recipe.asymmetric = true;
    recipe.accuracy_level = 4;
    recipe.exclude = {"*q*"};
    Plan plan;
    try {
      plan = make_plan(model, recipe);
    } catch (const Error&) {  // nothing of that name
      recipe.exclude.clear();
      plan = make_plan(model, recipe);
    }
    const std::string text =
        json_text(plan_document(plan, "m.onnx", fingerprint(model)));
    const ReadPlan read = read_plan(text);
    EXPECT_EQ(read.fingerprint, fingerprint(model));
    EXPECT_EQ(read.recipe.min_bytes, 100);
    EXPECT_TRUE(read.recipe.reduce_range);
    EXPECT_EQ(read.recipe.weights, WeightForm::int4);
    EXPECT_EQ(read.recipe.scaling, Scaling::mse);
    EXPECT_EQ(read.recipe.block, 64);
    EXPECT_TRUE(read.recipe.asymmetric);
    EXPECT_EQ(read.recipe.accuracy_level, 4);
    EXPECT_EQ(read.recipe.exclude, recipe.exclude);
    EXPECT_EQ(fates(make_plan(model, read.recipe)), fates(plan));
    EXPECT_GT(plan.quantized, 0);
  }
}

TEST(PlanJson, SaysWhatIsWrongWithADocument) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "is no JSON"},
      {"[]", "is no document with \"schema\""},
      {"{\"schema\": 7}", "is no document with \"schema\""},
      {"{\"schema\": \"octavo.plan/2\"}", "is no document with \"schema\""},
      {"{\"schema\": \"octavo.plan/1\"}", "lacks it.input"},
      {"{\"schema\": \"octavo.plan/1\", \"input\": 1}", "is no object"},
      {"{\"schema\": \"octavo.plan/1\", \"input\": {\"path\": 1}}",
       "input.path of another type"},
      {std::string(100000, '['), "nests deeper than 16"},
      {"{\"schema\": \"octavo.plan/1\", \"input\": " +
           std::string(3000000, '[') + std::string(3000000, ']') + "}",
       "nests deeper than 16"},
  };
  for (const auto& [text, words] : cases)
    EXPECT_NE(error_of([&] { read_plan(text); }).find(words), std::string::npos)
        << text.substr(0, 80) << error_of([&] { read_plan(text); });
}

TEST(PlanJson, SaysWhatIsWrongWithADecision) {
  TinyModel m;
  testing::add_m0(m);
  const std::string bytes = m.bytes();
  const Model model = open_model(testing::as_bytes(bytes));
  Recipe all;
  all.min_bytes = 0;
  Json good = plan_document(make_plan(model, all), "m", fingerprint(model));
  const auto with = [&](const std::function<void(Json&)>& change) {
    Json j = good;
    change(j["decisions"][0]);
    return error_of([&] { make_plan(model, read_plan(json_text(j)).recipe); });
  };
  EXPECT_EQ(with([](Json&) {}), "(no error)");
  EXPECT_EQ(with([](Json& d) { d["action"] = "float"; }), "(no error)");
  EXPECT_EQ(with([](Json& d) { d["action"] = "int8 storage"; }), "(no error)");
  EXPECT_EQ(with([](Json& d) { d["action"] = "int4"; }),
            "the plan has decisions[0].action 'int4'; one of 'float', "
            "'MatMulInteger', 'DynamicQuantizeLSTM', 'int8 table', 'int8 "
            "storage', 'ConvInteger', 'QAttention', "
            "'QEmbedLayerNormalization', 'int4 blocks' and 'int8 blocks' was "
            "expected.");
  EXPECT_EQ(with([](Json& d) { d["action"] = "ConvInteger"; }),
            "the plan wants MatMul 'mm' to become 'ConvInteger', which it "
            "cannot; it can become 'MatMulInteger', 'int8 storage', 'int4 "
            "blocks', 'int8 blocks' and 'float'.");
  EXPECT_EQ(with([](Json& d) { d["node"] = "nn"; }),
            "the plan has MatMul 'nn' as node 0 of graph 0, where the model "
            "has MatMul 'mm'; make the plan anew.");
  EXPECT_NE(with([](Json& d) { d["index"] = 99; }).find("no such node"),
            std::string::npos);
  EXPECT_NE(with([](Json& d) { d["graph"] = -99; }).find("no such node"),
            std::string::npos);
  for (const double odd : {1e300, 0.5, -1e35})
    EXPECT_EQ(with([&](Json& d) { d["index"] = odd; }),
              "the plan has decisions[0].index of another type than was "
              "expected.");
  EXPECT_NE(with([](Json& d) { d.erase("op"); }).find("lacks decisions[0].op"),
            std::string::npos);
  Json twice = good;
  twice["decisions"].push_back(good["decisions"][0]);
  EXPECT_NE(error_of([&] {
              make_plan(model, read_plan(json_text(twice)).recipe);
            }).find("twice"),
            std::string::npos);
}

// A wish wins over the size limit and the names, not over what is possible.
TEST(Wishes, WinOverTheRecipe) {
  TinyModel m;
  testing::add_m0(m);
  const std::string bytes = m.bytes();
  const Model model = open_model(testing::as_bytes(bytes));
  Recipe r;  // 16 bytes are too small for it
  EXPECT_EQ(make_plan(model, r).quantized, 0);
  r.wishes = {{0, 0, "mm", "MatMul", Action::integer}};
  EXPECT_EQ(make_plan(model, r).quantized, 1);
  r.exclude = {"mm"};
  EXPECT_EQ(make_plan(model, r).quantized, 1);
  r.wishes[0].action = Action::storage;
  const Plan plan = make_plan(model, r);
  ASSERT_EQ(plan.decisions.size(), 1u);
  EXPECT_EQ(plan.decisions[0].action, Action::storage);
}

}  // namespace
}  // namespace octavo
