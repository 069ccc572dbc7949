// Writes seeds for the targets: FOLDER/TARGET/NAME.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "octavo/shards.h"
#include "report/plan_json.h"
#include "runtime/npy.h"
#include "runtime/npz.h"
#include "testing/fake_runner.h"
#include "testing/functions.h"
#include "testing/random_graph.h"

namespace fs = std::filesystem;
using namespace octavo;  // NOLINT(google-build-using-namespace)

namespace {

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Statistics of two runners that differ by a little.
std::vector<std::byte> stats_bytes(bool labels) {
  const auto runner = [](float add) {
    return octavo::testing::tensor_runner([add](const Tensor& x) {
      Tensor y = x;
      for (float& v : y.as<float>()) v += add;
      return Value(std::move(y));
    });
  };
  octavo::testing::ListSource samples;
  for (float v = 0; v < 4; ++v)
    samples.add(
        make_tensor<float>(DType::float32, {1, 6}, {v, 1, 2, 3, 4, -v}));
  CompareOptions options;
  options.views.atol = 0.1;
  options.views.axis = 1;
  options.views.scores = Scores::logits;
  if (labels) {
    options.labels = make_tensor<int64_t>(DType::int64, {4}, {0, 1, 4, 4});
    options.metrics = {
        {Metric::accuracy}, {Metric::cosine_retrieval}, {Metric::f1_macro}};
  }
  auto a = runner(0), b = runner(0.25F);
  return to_bytes(compare_shard(a, b, samples, options, 1, 1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const fs::path folder = argv[1];
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto graph =
        octavo::testing::random_graph(seed, octavo::testing::kMaxSteps, 21);
    const std::string model = graph.model->bytes();
    write(folder / "wire" / fmt::format("{}", seed), model);
    write(folder / "model" / fmt::format("{}", seed),
          std::string(1, static_cast<char>(seed * 37)) + model);
    octavo::testing::wrap_in_functions(graph.model->model(), seed);
    write(folder / "model" / fmt::format("functions-{}", seed),
          std::string(1, static_cast<char>(seed % 32)) + graph.model->bytes());
  }
  const std::vector<std::pair<std::string, Tensor>> tensors = {
      {"floats",
       make_tensor<float>(DType::float32, {2, 3}, {1, 2, 3, 4, 5, 6})},
      {"ints", make_tensor<int64_t>(DType::int64, {3}, {1, 2, 3})},
      {"bools", make_tensor<uint8_t>(DType::boolean, {2}, {0, 1})},
      {"halves", make_tensor<uint16_t>(DType::float16, {1, 2}, {0x3c00, 1})},
      {"scalar", make_tensor<double>(DType::float64, {}, {1})},
      {"empty", make_tensor(DType::float32, {0, 4})},
      {"words", [] {
         Tensor t = make_tensor(DType::string, {2});
         t.strings = {"one", "zwei"};
         return t;
       }()}};
  for (const auto& [name, t] : tensors) {
    write(folder / "npy" / name, text(npy_bytes(t)));
    onnx::TensorProto proto;
    proto.set_name(name);
    proto.set_data_type(static_cast<int>(t.type));
    for (const int64_t d : t.shape) proto.add_dims(d);
    if (t.strings.empty()) proto.set_raw_data(t.bytes.data(), t.bytes.size());
    for (const auto& s : t.strings) proto.add_string_data(s);
    write(folder / "pb" / name, proto.SerializeAsString());
  }
  fs::create_directories(folder / "npz");
  write_npz(folder / "npz" / "all", tensors);
  for (const bool labels : {false, true})
    write(folder / "stats" / (labels ? "labels" : "plain"),
          text(stats_bytes(labels)));
  octavo::testing::TinyModel m;
  octavo::testing::add_m0(m);
  const std::string bytes = m.bytes();
  const Model model = open_model(octavo::testing::as_bytes(bytes));
  for (const int64_t least : {0, 1024}) {
    Recipe recipe;
    recipe.min_bytes = least;
    write(folder / "plan" / fmt::format("{}", least),
          json_text(plan_document(make_plan(model, recipe), "m.onnx",
                                  fingerprint(model))));
  }
  return 0;
}
