// What Octavo adds to the time that the runtime needs: a run of one model
// through ONNX Runtime's own C API, through Octavo's Runner, and within
// compare (samples read, both models run, outputs compared).
// Usage: octavo_bench_overhead MODEL [PAGE]
#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "bench/page.h"
#include "bench/stats.h"
#include "octavo/compare.h"
#include "octavo/samples.h"
#include "runtime/ort_values.h"

namespace octavo::benchmarks {
namespace {

// Rounds of all ways: as many as fit the time, but so many at least.
constexpr double kSeconds = 12;
constexpr int kRounds = 5;
constexpr int64_t kBatches = 2;

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

// One session, used directly: inputs made before, outputs thrown away.
class Bare {
 public:
  Bare(std::shared_ptr<Runtime> runtime, const char* model)
      : runtime_(std::move(runtime)) {
    const OrtApi& api = runtime_->api();
    auto options = make_owned(api, api.ReleaseSessionOptions, "no options",
                              api.CreateSessionOptions);
    check(api, api.DisablePerSessionThreads(options.get()), "no threads");
    session_ =
        make_owned(api, api.ReleaseSession, "no session", api.CreateSession,
                   runtime_->env(), model, options.get());
  }

  void run(const std::vector<Port>& inputs, const std::vector<Port>& outputs,
           const Feed& feed) {
    const OrtApi& api = runtime_->api();
    std::vector<BoundValue> bound;
    std::vector<const OrtValue*> given;
    std::vector<const char*> names, wanted;
    for (const auto& [name, value] : feed.inputs)
      bound.push_back(bind_value(*runtime_, value, name));
    for (size_t i = 0; i < inputs.size(); ++i) {
      given.push_back(bound[i].value.get());
      names.push_back(feed.inputs[i].first.c_str());
    }
    for (const Port& port : outputs) wanted.push_back(port.name.c_str());
    std::vector<OrtValue*> results(outputs.size(), nullptr);
    check(api,
          api.Run(session_.get(), nullptr, names.data(), given.data(),
                  given.size(), wanted.data(), wanted.size(), results.data()),
          "the model does not run");
    for (OrtValue* value : results) api.ReleaseValue(value);
  }

 private:
  std::shared_ptr<Runtime> runtime_;
  OrtOwned<OrtSession> session_{nullptr, {}};
};

int run(const char* model, const char* page) {
  const auto runtime = load_runtime();
  Bare bare(runtime, model);
  const auto runner = open_session(runtime, model);
  const auto other = open_session(runtime, model);
  std::string figures = fmt::format(
      "| {:<31} | {:>8} | {:>6} | {:>6} |\n|{:-<33}|{:->9}:|{:->7}:|{:->7}:|\n",
      "one run of the model", "median s", "MAD", "x", "", "", "", "");
  for (const auto& [batch, length] :
       {std::pair<int64_t, int64_t>{1, 16}, {4, 64}}) {
    SampleSpec spec;
    spec.random = kBatches;
    spec.batch = batch;
    for (const auto& name : {"input_ids:0", "attention_mask:0"})
      spec.dims.push_back({name, batch});
    for (const auto& name : {"input_ids:1", "attention_mask:1"})
      spec.dims.push_back({name, length});
    const auto samples = open_samples(spec, runner->inputs());
    std::vector<Feed> feeds;
    for (int64_t b = 0; b < kBatches; ++b)
      feeds.push_back(samples->batch(b).feed);
    const std::vector<std::pair<std::string, std::function<void()>>> ways = {
        {"ONNX Runtime's C API",
         [&] {
           for (const Feed& f : feeds)
             bare.run(runner->inputs(), runner->outputs(), f);
         }},
        {"Octavo's Runner",
         [&] {
           for (const Feed& f : feeds) runner->run(f);
         }},
        {"compare, of two runs each",
         [&] { compare(*runner, *other, *samples); }},
    };
    std::vector<std::vector<double>> times(ways.size());
    const auto begin = std::chrono::steady_clock::now();
    const auto over = [&] {
      return std::chrono::steady_clock::now() - begin >
             std::chrono::duration<double>(kSeconds);
    };
    for (int round = 0; round <= kRounds || !over(); ++round)
      for (size_t k = 0; k < ways.size(); ++k) {
        const size_t way = (k + static_cast<size_t>(round)) % ways.size();
        const double runs = static_cast<double>(kBatches) * (way == 2 ? 2 : 1);
        const double t = seconds(ways[way].second) / runs;
        if (round > 0) times[way].push_back(t);
      }
    figures += fmt::format(
        "| {:<31} | {:>8} | {:>6} | {:>6} |\n",
        fmt::format("**batch {}, length {}**", batch, length), "", "", "");
    for (size_t k = 0; k < ways.size(); ++k) {
      std::vector<double> ratios;
      for (size_t i = 0; i < times[k].size(); ++i)
        ratios.push_back(times[k][i] / times[0][i]);
      figures += fmt::format("| {:<31} | {:>8.4f} | {:>6.4f} | {:>6.3f} |\n",
                             ways[k].first, median(times[k]), mad(times[k]),
                             median(ratios));
    }
  }
  fmt::print("{}", figures);
  if (page != nullptr)
    write_page(page, "overhead",
               fmt::format("{}; ONNX Runtime {}\n\n{}", circumstances(),
                           runtime_info(*runtime).version, figures));
  return 0;
}

}  // namespace
}  // namespace octavo::benchmarks

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fmt::print(stderr, "Usage: octavo_bench_overhead MODEL [PAGE]\n");
    return 2;
  }
  try {
    return octavo::benchmarks::run(argv[1], argc == 3 ? argv[2] : nullptr);
  } catch (const std::exception& e) {
    fmt::print(stderr, "octavo_bench_overhead: {}\n", e.what());
    return 2;
  }
}
