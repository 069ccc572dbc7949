// Judges the copies of a folder of ONNX test models, such as Debian's
// libonnx-testdata: `octavo_corpus FOLDER`. Each folder below it with a
// model.onnx is taken as it is, and once more with all of its inputs but the
// first turned into initializers, which makes weights of them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "octavo/error.h"
#include "runtime/tensor_pb.h"
#include "testing/both.h"
#include "testing/random_graph.h"

namespace fs = std::filesystem;
using octavo::Error;
using octavo::Feed;
using octavo::testing::RandomGraph;
using octavo::testing::TinyModel;

namespace {

struct Count {
  int models = 0, original_does_not_run = 0, quantized = 0, checked = 0,
      failed = 0;
};

// Two runs of one model give different answers.
bool is_random(const std::string& name) {
  for (const char* word : {"bernoulli", "dropout", "random", "multinomial"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

RandomGraph open(const fs::path& folder) {
  RandomGraph g;
  std::ifstream file(folder / "model.onnx", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  g.model = std::make_unique<TinyModel>();
  if (!g.model->model().ParseFromString(bytes))
    throw Error(octavo::ErrorKind::format, "does not parse");
  g.recipe.min_bytes = 0;
  const auto& graph = g.model->model().graph();
  size_t fed = 0;
  for (const auto& input : graph.input()) {
    const bool is_initializer =
        std::any_of(graph.initializer().begin(), graph.initializer().end(),
                    [&](const auto& t) { return t.name() == input.name(); });
    const fs::path data =
        folder / "test_data_set_0" / fmt::format("input_{}.pb", fed);
    if (is_initializer || !fs::exists(data)) continue;
    g.feed.inputs.push_back(
        {input.name(), octavo::read_tensor_pb(data).tensor});
    ++fed;
  }
  return g;
}

// All inputs but the first become initializers.
void make_weights(RandomGraph& g) {
  auto& graph = *g.model->model().mutable_graph();
  while (g.feed.inputs.size() > 1) {
    const auto& [name, value] = g.feed.inputs.back();
    auto& t = *graph.add_initializer();
    t.set_name(name);
    t.set_data_type(static_cast<int>(value.tensor.type));
    for (const int64_t d : value.tensor.shape) t.add_dims(d);
    t.set_raw_data(value.tensor.bytes.data(), value.tensor.bytes.size());
    if (g.model->model().ir_version() >= 4)
      for (int i = graph.input_size() - 1; i >= 0; --i)
        if (graph.input(i).name() == name)
          graph.mutable_input()->DeleteSubrange(i, 1);
    g.feed.inputs.pop_back();
  }
}

void judge(const std::string& name, const RandomGraph& g, Count& count) {
  ++count.models;
  const auto v = octavo::testing::judge(g, octavo::testing::runtime_or_null());
  count.quantized += v.quantized;
  count.checked += v.checked;
  if (v.fault.starts_with("the original") || (v.fault.empty() && !v.ran)) {
    ++count.original_does_not_run;
  } else if (!v.fault.empty()) {
    ++count.failed;
    fmt::print("{}: {}\n", name, v.fault);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (!octavo::testing::runtime_or_null()) return 77;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::recursive_directory_iterator(argv[1]))
    if (entry.path().filename() == "model.onnx")
      folders.push_back(entry.path().parent_path());
  std::sort(folders.begin(), folders.end());
  Count plain, weights;
  for (const auto& folder : folders) {
    const std::string name = folder.filename().string();
    if (is_random(name)) continue;
    try {
      RandomGraph g = open(folder);
      judge(name, g, plain);
      if (g.feed.inputs.size() < 2) continue;
      make_weights(g);
      judge(name + " with weights", g, weights);
    } catch (const Error&) {
      // Inputs that are no tensors.
    }
  }
  for (const auto& [what, c] :
       {std::pair("as they are", plain), std::pair("with weights", weights)})
    fmt::print(
        "{} models {}: {} do not run themselves, {} nodes quantized, {} held "
        "to a bound, {} failed\n",
        c.models, what, c.original_does_not_run, c.quantized, c.checked,
        c.failed);
  return plain.failed + weights.failed == 0 ? 0 : 1;
}
