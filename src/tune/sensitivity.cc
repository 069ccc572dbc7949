#include "octavo/sensitivity.h"

#include <fmt/format.h>

#include <chrono>
#include <set>

#include "compare/checks.h"
#include "octavo/error.h"
#include "octavo/quantize.h"
#include "tune/estimate.h"
#include "tune/known.h"
#include "tune/mixture.h"
#include "tune/remembering.h"
#include "tune/subset.h"
#include "tune/trial.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kRememberedBytes = uint64_t{256} << 20;

// [value, standard error, samples]
Known::Json cost_to_json(const Cost& c) {
  return {number_to_json(c.value), number_to_json(c.standard_error), c.samples};
}

Cost cost_from_json(const Known::Json& j) {
  if (!j.is_array() || j.size() != 3 || !j[2].is_number_integer())
    return {number_from_json(Known::Json()), 0, 0};  // throws
  return {number_from_json(j[0]), number_from_json(j[1]), j[2].get<int64_t>()};
}

}  // namespace

SensitivityResult measure_sensitivity(const std::shared_ptr<Runtime>& runtime,
                                      const fs::path& model,
                                      const Recipe& recipe,
                                      const SampleSource& samples,
                                      const SensitivityOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  SensitivityResult result;
  result.by = options.by;
  result.samples = samples.samples();
  const Settled settled = settle(model, options.scratch, recipe);
  const Plan& plan = settled.plan;
  Plan none = plan;
  for (Decision& d : none.decisions) d.action = Action::keep;
  Mixture mixture(runtime, model, none, plan,
                  {options.session, options.scratch, options.switches});
  if (mixture.layers().empty())
    throw Error(ErrorKind::usage,
                "nothing would be quantized in this model, so that no layer "
                "can be sensitive to it; `octavo plan` says why");

  Known known(options.state, options.state.empty()
                                 ? Question()
                                 : question_of(model, samples, options.compare,
                                               options.session, *runtime));
  const auto original = open_session(runtime, model, options.session);
  check_labels(*original, samples, options.compare);
  RememberingRunner reference(*original, kRememberedBytes);
  const size_t n = mixture.layers().size();
  const auto total = static_cast<int64_t>(2 * n + 1);
  const auto order = shuffled(samples.batches(), options.seed);
  const bool error = options.by == "error";
  // Empty: stopped.
  const auto measure = [&](const Choice& high) -> std::optional<Cost> {
    Runner& candidate = mixture.runner(high);
    if (error) {
      const auto e = estimate_error(reference, candidate, samples, order,
                                    options.precision, options.stop);
      if (!e) return std::nullopt;
      return Cost{e->error, e->standard_error, e->samples};
    }
    CompareOptions compare_options = options.compare;
    compare_options.stop = options.stop;
    const CompareResult r =
        compare(reference, candidate, samples, compare_options);
    if (r.partial) return std::nullopt;
    return Cost{badness_of(r, options.by), 0, r.samples};
  };
  const std::string settings =
      error
          ? fmt::format("{} {} {}", options.by, options.precision, options.seed)
          : options.by;
  std::set<std::string> measured;  // in this run
  const auto evaluate = [&](const Choice& high) -> std::optional<Cost> {
    if (options.stop && *options.stop) return std::nullopt;
    const std::string key = settings + " " + settled.digest + mixture.key(high);
    std::optional<Cost> value;
    if (const auto found = known.find(key)) {
      value = cost_from_json(*found);
      result.recalled += !measured.contains(key);
    } else {
      value = measure(high);
      if (!value) return std::nullopt;
      known.add(key, cost_to_json(*value));
      measured.insert(key);
    }
    ++result.evaluations;
    if (options.progress) options.progress(result.evaluations, total);
    return value;
  };

  result.all = evaluate(Choice(n, true));
  for (size_t i = 0; i < n; ++i) {
    LayerSensitivity layer;
    layer.decision = mixture.layers()[i].high;
    Choice one(n, false), rest(n, true);
    one[i] = true;
    rest[i] = false;
    layer.alone = evaluate(one);
    layer.without = evaluate(rest);
    layer.switched = !mixture.layers()[i].input.empty();
    result.layers.push_back(std::move(layer));
  }
  result.partial = result.evaluations < total;
  result.sessions = mixture.sessions();
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return result;
}

}  // namespace octavo
