#include "tune/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "octavo/bench.h"
#include "octavo/error.h"
#include "octavo/quantize.h"
#include "tune/estimate.h"
#include "tune/temporary.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Json = Known::Json;

constexpr uint64_t kRememberedBytes = uint64_t{256} << 20;
constexpr double kPrecision = 0.1;     // of the errors that order layers
constexpr int64_t kLeastForEarly = 8;  // batches of a first look
constexpr int64_t kEarlyShare = 4;     // it takes one in so many

Json to_json(const std::vector<Measurement>& measured) {
  Json j = Json::array();
  for (const Measurement& m : measured)
    j.push_back({m.name, m.value ? number_to_json(*m.value) : Json(),
                 static_cast<int>(m.scale), m.nothing_differs, m.fault});
  return j;
}

std::vector<Measurement> measured_from(const Json& j) {
  std::vector<Measurement> out;
  for (const Json& m : j) {
    Measurement one;
    one.name = m.at(0).get<std::string>();
    if (!m.at(1).is_null()) one.value = number_from_json(m.at(1));
    one.scale = static_cast<Scale>(m.at(2).get<int>());
    one.nothing_differs = m.at(3).get<bool>();
    one.fault = m.at(4).get<std::string>();
    out.push_back(std::move(one));
  }
  return out;
}

Json to_json(const std::optional<SpeedRatio>& s) {
  if (!s) return nullptr;
  return {s->ratio, s->low, s->high, s->seconds};
}

std::optional<SpeedRatio> speed_from(const Json& j) {
  if (j.is_null()) return std::nullopt;
  return SpeedRatio{j.at(0).get<double>(), j.at(1).get<double>(),
                    j.at(2).get<double>(), j.at(3).get<double>()};
}

// Reads with `read`; a state file that was edited is an error in a sentence.
template <typename Read>
auto from_state(const Read& read) {
  try {
    return read();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::format,
                "the state file holds something else than was expected; "
                "remove it to begin anew");
  }
}

bool is_own(const std::string& name) {
  return name.starts_with("size.") || name.starts_with("speed.");
}

// True where more samples cannot save the limit: a maximum that is too large
// already, or a loss whose whole 95 % interval is.
bool hopeless(const Limit& limit, const CompareResult& r) {
  if (limit.relation != Relation::at_most && limit.relation != Relation::less)
    return false;
  if (limit.name.ends_with(".max_abs")) {
    const auto checks = judge({limit}, measurements(r));
    return std::any_of(checks.begin(), checks.end(),
                       [](const Check& c) { return !c.ok; });
  }
  for (const MetricSummary& m : r.metrics) {
    const std::string name = m.name + (m.higher_is_better ? ".drop" : ".rise");
    if (limit.name != name || !m.interval) continue;
    const double least =
        m.higher_is_better ? -m.interval->high : m.interval->low;
    return least > limit.bound;
  }
  return false;
}

}  // namespace

Evaluator::Evaluator(std::shared_ptr<Runtime> runtime, fs::path model,
                     const Subset& samples, const TuneOptions& options,
                     TuneResult& result)
    : runtime_(std::move(runtime)),
      model_(std::move(model)),
      samples_(samples),
      options_(options),
      result_(result),
      compare_(options_for(samples, options.compare)),
      original_bytes_(open_model(model_).bytes()),
      original_(open_session(runtime_, model_, options.session)),
      reference_(*original_, kRememberedBytes),
      known_(options.state, options.state.empty()
                                ? Question()
                                : question_of(model_, samples, compare_,
                                              options.session, *runtime_)),
      order_(shuffled(samples.batches(), options.seed)),
      begin_(std::chrono::steady_clock::now()) {
  compare_.stop = options.stop;
  compare_.tolerances = {};
  for (const Limit& limit : options.limits) {
    limits_text_ += limit.text + "; ";
    if (!is_own(limit.name)) answer_limits_.push_back(limit);
  }
}

bool Evaluator::out_of_time() const {
  const std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - begin_;
  return spent.count() > options_.budget_seconds;
}

void Evaluator::count(bool recalled) {
  ++result_.evaluations;
  result_.recalled += recalled;
}

std::optional<Whole> Evaluator::whole(const Recipe& recipe) {
  Whole out;
  const TemporaryModel file(options_.scratch / "candidate.onnx");
  out.settled = settle_at(model_, file.path(), recipe);
  const std::string key = "whole " + out.settled.digest;
  if (const auto found = known_.find(key)) {
    from_state([&] {
      out.error = number_from_json(found->at("error"));
      out.measured = measured_from(found->at("measured"));
      out.speed = speed_from(found->at("speed"));
      return 0;
    });
    count(true);
    return out;
  }
  if (stopped()) return std::nullopt;
  const auto copy = open_session(runtime_, file.path(), options_.session);
  ++result_.sessions;
  const CompareResult r = compare(reference_, *copy, samples_, compare_);
  if (r.partial) return std::nullopt;
  const auto e =
      estimate_error(reference_, *copy, samples_, order_, 0, options_.stop);
  if (!e) return std::nullopt;
  out.error = e->error;
  out.measured = measurements(r);
  BenchOptions timing;
  timing.most_batches = 8;
  timing.budget_seconds =
      options_.timing_seconds > 0
          ? options_.timing_seconds
          : std::clamp(options_.budget_seconds / 40, 0.2, 3.0);
  timing.seed = options_.seed + 1;
  Contender both[] = {{"original", original_.get()}, {"copy", copy.get()}};
  const BenchResult times = bench(both, samples_, timing);
  const PairRatio& pair = times.pairs[0];
  const bool known = pair.outcome != Outcome::too_few;
  out.speed = SpeedRatio{pair.ratio, known ? pair.interval_95.low : 0,
                         known ? pair.interval_95.high : 0,
                         times.contenders[1].summary.median / 1e9};
  known_.add(key, {{"error", number_to_json(out.error)},
                   {"measured", to_json(out.measured)},
                   {"speed", to_json(out.speed)}});
  count(false);
  return out;
}

CompareResult Evaluator::elsewhere(const Recipe& recipe,
                                   const Subset& samples) {
  const TemporaryModel file(options_.scratch / "candidate.onnx");
  settle_at(model_, file.path(), recipe);
  const auto copy = open_session(runtime_, file.path(), options_.session);
  ++result_.sessions;
  CompareOptions options = options_for(samples, options_.compare);
  options.stop = options_.stop;
  options.tolerances = {};
  return compare(*original_, *copy, samples, options);
}

std::optional<double> Evaluator::error(Mixture& mixture,
                                       const std::string& digests,
                                       const Choice& choice) {
  if (stopped() || out_of_time()) return std::nullopt;
  const std::string key =
      fmt::format("error {} {}{}", options_.seed, digests, mixture.key(choice));
  if (const auto found = known_.find(key)) {
    count(true);
    return number_from_json(*found);
  }
  const auto e = estimate_error(reference_, mixture.runner(choice), samples_,
                                order_, kPrecision, options_.stop);
  if (!e) return std::nullopt;
  known_.add(key, number_to_json(e->error));
  count(false);
  return e->error;
}

std::optional<bool> Evaluator::holds(Mixture& mixture,
                                     const std::string& digests,
                                     const Choice& choice) {
  if (stopped() || out_of_time()) return std::nullopt;
  const std::string key = digests + mixture.key(choice);
  const auto keeps = [&](const std::vector<Measurement>& measured) {
    const auto checks = judge(answer_limits_, measured);
    return std::all_of(checks.begin(), checks.end(),
                       [](const Check& c) { return c.ok; });
  };
  if (const auto found = known_.find("mixed " + key)) {
    count(true);
    return keeps(from_state([&] { return measured_from(*found); }));
  }
  const std::string early = "hopeless " + limits_text_ + key;
  if (known_.find(early)) {
    count(true);
    return false;
  }
  Runner& runner = mixture.runner(choice);
  const int64_t some = samples_.batches() / kEarlyShare;
  if (some >= kLeastForEarly) {
    std::vector<int64_t> first(order_.begin(), order_.begin() + some);
    const Subset part(samples_, std::move(first));
    const CompareResult r =
        compare(reference_, runner, part, options_for(part, compare_));
    if (r.partial) return std::nullopt;
    if (std::any_of(answer_limits_.begin(), answer_limits_.end(),
                    [&](const Limit& l) { return hopeless(l, r); })) {
      known_.add(early, true);
      count(false);
      return false;
    }
  }
  const CompareResult r = compare(reference_, runner, samples_, compare_);
  if (r.partial) return std::nullopt;
  const auto measured = measurements(r);
  known_.add("mixed " + key, to_json(measured));
  count(false);
  return keeps(measured);
}

std::vector<Measurement> Evaluator::own(const Whole& whole) const {
  const auto bytes = static_cast<double>(whole.settled.bytes);
  std::vector<Measurement> out = {
      {"size.ratio", bytes / static_cast<double>(original_bytes_), Scale::zero},
      {"size.copy", bytes, Scale::none}};
  if (whole.speed)
    out.push_back({"speed.ratio", whole.speed->ratio, Scale::none});
  return out;
}

std::vector<Check> Evaluator::checks(const Whole& whole) const {
  std::vector<Measurement> all = whole.measured;
  for (Measurement& m : own(whole)) all.push_back(std::move(m));
  return judge(options_.limits, all);
}

std::vector<Check> Evaluator::checks(const CompareResult& result,
                                     const Whole& whole) const {
  std::vector<Measurement> all = measurements(result);
  for (Measurement& m : own(whole)) all.push_back(std::move(m));
  return judge(options_.limits, all);
}

}  // namespace octavo
