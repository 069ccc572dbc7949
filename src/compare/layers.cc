#include "octavo/layers.h"

#include <algorithm>
#include <span>
#include <system_error>

#include "compare/walk.h"
#include "graph/isolate.h"
#include "octavo/error.h"
#include "octavo/inspect.h"
#include "runtime/read_ahead.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

// A session of a model that is on the disk only while it is opened.
std::unique_ptr<Runner> open_model_session(
    const std::shared_ptr<Runtime>& runtime, const Model& model,
    const LayersOptions& options) {
  const fs::path file = options.scratch / "layers.onnx";
  const fs::path data = options.scratch / "layers.onnx.data";
  struct Remove {
    const fs::path &file, &data;
    ~Remove() {
      std::error_code ignored;
      fs::remove(file, ignored);
      fs::remove(data, ignored);
    }
  } remove{file, data};
  WriteOptions write;
  write.sync = false;
  write_model(model, file, write);
  return open_session(runtime, file, options.session);
}

struct Layer {
  LayerError error;
  PartStats cumulative, isolated;
};

// The layers that one pass measures: the original with the copy's layers
// beside its own, and the copy, each giving the layers' values.
class Pass {
 public:
  Pass(const std::shared_ptr<Runtime>& runtime, const fs::path& original,
       const fs::path& copy, std::span<Layer> layers,
       const LayersOptions& options)
      : layers_(layers) {
    std::vector<std::string> values;
    for (const Layer& l : layers) values.push_back(l.error.value);
    Model after = open_model(copy);
    Model before = open_model(original);
    inline_like(before, after);
    const auto isolated = add_isolated(before, after, values);
    std::vector<std::string> all = values;
    for (size_t i = 0; i < isolated.size(); ++i) {
      isolated_.push_back(isolated[i].empty() ? 0 : all.size());
      if (!isolated[i].empty()) all.push_back(isolated[i]);
    }
    set_outputs(before, all);
    original_ = open_model_session(runtime, before, options);
    set_outputs(after, values);
    copy_ = open_model_session(runtime, after, options);
  }

  void run(const Batch& batch, int64_t index) {
    const auto r = original_->run(batch.feed);
    const auto c = copy_->run(batch.feed);
    for (size_t i = 0; i < layers_.size(); ++i) {
      const Place place{index, batch.first, batch.count,
                        layers_[i].error.value};
      walk(layers_[i].cumulative, r[i], c[i], place);
      if (isolated_[i] > 0)
        walk(layers_[i].isolated, r[i], r[isolated_[i]], place);
    }
  }

 private:
  std::span<Layer> layers_;
  std::vector<size_t> isolated_;  // among the original's outputs; 0: none
  std::unique_ptr<Runner> original_, copy_;
};

// One entry for a value that several nodes seem to make: it is made once.
std::vector<Layer> quantized_layers(const fs::path& original,
                                    const fs::path& copy) {
  std::vector<Layer> out;
  for (Change& c : changes(open_model(original), open_model(copy))) {
    if (!c.quantized || !c.scope.empty()) continue;
    Layer layer;
    layer.error = {std::move(c.node), std::move(c.before), std::move(c.after),
                   std::move(c.value)};
    out.push_back(std::move(layer));
  }
  return out;
}

}  // namespace

LayersResult compare_layers(const std::shared_ptr<Runtime>& runtime,
                            const fs::path& original, const fs::path& copy,
                            const SampleSource& samples,
                            const LayersOptions& options) {
  std::vector<Layer> layers = quantized_layers(original, copy);
  const size_t step = std::max<size_t>(options.layers_a_pass, 1);
  const auto passes = static_cast<int64_t>((layers.size() + step - 1) / step);
  LayersResult result;
  int64_t done = 0;
  for (size_t begin = 0; begin < layers.size() && !result.partial;
       begin += step) {
    Pass pass(
        runtime, original, copy,
        std::span(layers).subspan(begin, std::min(step, layers.size() - begin)),
        options);
    int64_t seen = 0;
    ReadAhead reader(samples, 0, samples.batches());
    for (int64_t b = 0; b < samples.batches(); ++b) {
      if (options.stop && *options.stop) {
        result.partial = true;
        break;
      }
      const Batch batch = reader.next().value();
      pass.run(batch, b);
      seen += batch.count;
      done += batch.count;
      if (options.progress)
        options.progress({b + 1, samples.batches() * passes, done,
                          samples.samples() * passes});
    }
    result.samples = std::max(result.samples, seen);
  }
  for (Layer& l : layers) {
    if (l.cumulative.parts.empty()) continue;  // stopped before
    l.error.cumulative = finish(l.cumulative.parts.front());
    if (!l.isolated.parts.empty())
      l.error.isolated = finish(l.isolated.parts.front());
    result.layers.push_back(std::move(l.error));
  }
  return result;
}

}  // namespace octavo
