// The search: strategies from mild to hard, each whole; one that breaks a
// limit is mixed with the best so far; the winner is judged once more on
// samples that the search did not see.
#include "octavo/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compare/labels.h"
#include "octavo/error.h"
#include "tune/evaluator.h"
#include "tune/search.h"
#include "tune/strategies.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr double kSameSize = 0.05;  // sizes this close are no reason
constexpr int kRetries = 3;  // where a mixture holds and its copy does not

struct Candidate {
  size_t row = 0;
  Recipe recipe;
  Plan plan;
  Whole whole;
};

bool faster(const TuneRow& a, const TuneRow& b) {
  return a.speed && b.speed && a.speed->low > b.speed->high &&
         b.speed->high > 0;
}

// Is `a` the better one for the goal? What lies within the noise is decided
// by the other goal, and then by the error.
bool better(const TuneRow& a, const TuneRow& b, Goal goal) {
  const auto size = [](const TuneRow& r) {
    return static_cast<double>(r.bytes);
  };
  const bool smaller = size(a) < size(b) * (1 - kSameSize);
  const bool larger = size(b) < size(a) * (1 - kSameSize);
  const bool is_faster = faster(a, b), is_slower = faster(b, a);
  if (goal == Goal::size) {
    if (smaller || larger) return smaller;
    if (is_faster || is_slower) return is_faster;
  } else {
    if (is_faster || is_slower) return is_faster;
    if (smaller || larger) return smaller;
  }
  return a.error < b.error;
}

bool in_integers(Action action) {
  return action != Action::keep && action != Action::storage &&
         action != Action::gather;
}

// What making a layer hard gains. Time is not known for a single layer: a
// layer that comes to be computed in integers gains by its weights' size. The
// other goal counts for a thousandth: it decides where the first says nothing.
double gain(const Mixture::Layer& layer, Goal goal) {
  const auto bytes =
      static_cast<double>(layer.low.bytes_after - layer.high.bytes_after);
  const double time =
      (in_integers(layer.high.action) - in_integers(layer.low.action)) *
      static_cast<double>(layer.high.bytes_before);
  return goal == Goal::size ? bytes + time / 1000 : time + bytes / 1000;
}

// "9 dynamic, 4 stored, 2 float": float ones of those that were mixed.
std::string forms(const Mixture& mixture, const Recipe& recipe) {
  std::set<std::pair<int64_t, int64_t>> layers;
  for (const Mixture::Layer& l : mixture.layers())
    layers.emplace(l.high.scope_index, l.high.index);
  int64_t dynamic = 0, stored = 0, plain = 0;
  for (const Wish& w : recipe.wishes) {
    const bool integers = in_integers(w.action);
    dynamic += integers;
    stored += !integers && w.action != Action::keep;
    plain +=
        w.action == Action::keep && layers.contains({w.scope_index, w.index});
  }
  std::string out;
  const auto add = [&](int64_t count, const char* form) {
    if (count > 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, form);
  };
  add(dynamic, "dynamic");
  add(stored, "stored");
  add(plain, "float");
  return out;
}

class Tuner {
 public:
  Tuner(std::shared_ptr<Runtime> runtime, fs::path model, const Subset& search,
        const Subset& holdout, const TuneOptions& options)
      : runtime_(std::move(runtime)),
        model_(std::move(model)),
        holdout_(holdout),
        options_(options),
        evaluator_(runtime_, model_, search, options, result_) {
    result_.goal = options.goal;
    result_.search_samples = search.samples();
    result_.holdout_samples = holdout.samples();
    add_original();
  }

  TuneResult run() {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Candidate> tried = try_strategies();
    // From mild to hard; the best so far is what a hard one is mixed with.
    std::stable_sort(tried.begin(), tried.end(),
                     [&](const Candidate& a, const Candidate& b) {
                       return row(a).error < row(b).error;
                     });
    for (const Candidate& c : tried) {
      if (row(c).within)
        accept(c);
      else if (!done())
        mix(c);
    }
    decide(tried);
    result_.out_of_time = evaluator_.out_of_time();
    result_.partial = evaluator_.stopped();
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
            .count();
    return std::move(result_);
  }

 private:
  const TuneRow& row(const Candidate& c) const { return result_.rows[c.row]; }
  bool done() const { return evaluator_.stopped() || evaluator_.out_of_time(); }

  void say(const std::string& what, int64_t done, int64_t all) {
    if (options_.progress) options_.progress(what, done, all);
  }

  void add_original() {
    TuneRow original;
    original.name = "original";
    original.bytes = open_model(model_).bytes();
    original.speed = SpeedRatio{1, 1, 1, 0};
    original.within = true;
    result_.rows.push_back(std::move(original));
  }

  // Empty: stopped.
  std::optional<Candidate> measure(const std::string& name,
                                   const Recipe& recipe) {
    auto whole = evaluator_.whole(recipe);
    if (!whole) return std::nullopt;
    TuneRow row;
    row.name = name;
    row.bytes = whole->settled.bytes;
    row.error = whole->error;
    row.speed = whole->speed;
    row.checks = evaluator_.checks(*whole);
    row.within = std::all_of(row.checks.begin(), row.checks.end(),
                             [](const Check& c) { return c.ok; });
    result_.rows.push_back(std::move(row));
    Candidate c;
    c.row = result_.rows.size() - 1;
    c.plan = whole->settled.plan;
    c.recipe = wish_all(c.plan);
    c.whole = std::move(*whole);
    return c;
  }

  std::vector<Candidate> try_strategies() {
    const auto all = strategies(model_, options_.recipe);
    if (all.empty())
      throw Error(ErrorKind::usage,
                  "nothing can be quantized in this model with these flags; "
                  "`octavo plan` says why");
    std::vector<Candidate> tried;
    for (const Strategy& s : all) {
      // The first one in any case: something must be known in the end.
      if (evaluator_.stopped() || (!tried.empty() && done())) break;
      say("trying whole models", std::ssize(tried), std::ssize(all));
      auto c = measure(s.name, s.recipe);
      if (!c) break;
      const bool same =
          std::any_of(tried.begin(), tried.end(), [&](const Candidate& other) {
            return other.whole.settled.digest == c->whole.settled.digest;
          });
      if (same) {
        result_.rows.pop_back();
        continue;
      }
      tried.push_back(std::move(*c));
    }
    return tried;
  }

  void accept(const Candidate& c) {
    // What hard forms are mixed with: the smallest that keeps the limits.
    if (!base_ || better(row(c), row(*base_), Goal::size)) base_ = c;
    const TuneRow& best =
        accepted_.empty() ? result_.rows[0] : row(accepted_.back());
    if (!better(row(c), best, options_.goal)) return;
    accepted_.push_back(c);
    if (options_.found) options_.found(c.recipe);
  }

  // The hard one where the limits let it, and a milder one elsewhere: the
  // smallest so far, and, where time is the goal, float, which leaves the hard
  // form more of what the limits allow.
  void mix(const Candidate& hard) {
    const std::optional<Candidate> base = base_;
    if (base) mix_over(hard, base->plan, base->whole.settled.digest);
    if (base && options_.goal == Goal::size) return;
    Plan low = hard.plan;
    for (Decision& d : low.decisions) {
      d.action = Action::keep;
      d.bytes_after = d.bytes_before;
    }
    mix_over(hard, low, "float");
  }

  void mix_over(const Candidate& hard, const Plan& low,
                const std::string& low_digest) {
    const std::string name = row(hard).name;
    try {
      Mixture mixture(runtime_, model_, low, hard.plan,
                      {options_.session, options_.scratch, true});
      mix(mixture, name, hard.whole.settled.digest + " " + low_digest);
      result_.sessions += mixture.sessions();
    } catch (const Error& e) {
      result_.notes.push_back(
          fmt::format("A mixture of {} could not be tried: "
                      "{}",
                      row(hard).name, e.what()));
    }
  }

  void mix(Mixture& mixture, const std::string& name,
           const std::string& digests) {
    const size_t n = mixture.layers().size();
    if (n == 0) return;
    const auto base = evaluator_.error(mixture, digests, Choice(n, false));
    if (!base) return;
    std::vector<SearchLayer> layers;
    for (size_t i = 0; i < n; ++i) {
      say("measuring layers of " + name, static_cast<int64_t>(i),
          static_cast<int64_t>(n));
      Choice one(n, false);
      one[i] = true;
      const auto e = evaluator_.error(mixture, digests, one);
      if (!e) return;
      // Errors of unlike layers add up by their squares.
      layers.push_back({std::sqrt(std::max(0.0, *e * *e - *base * *base)),
                        gain(mixture.layers()[i], options_.goal)});
    }
    // A mixture is judged in a switched session, and its copy once more as it
    // is: in rare cases they differ by what the runtime fuses.
    std::set<Choice> refuted;
    for (int retry = 0; retry < kRetries; ++retry) {
      int64_t asked = 0;
      const SearchResult found =
          search(layers, [&](const Choice& choice) -> std::optional<bool> {
            if (refuted.contains(choice)) return false;
            say("mixing " + name, asked++, 0);
            return evaluator_.holds(mixture, digests, choice);
          });
      if (!found.best) return;
      auto c = measure(name, mixture.recipe(*found.best));
      if (!c) return;
      TuneRow& row = result_.rows[c->row];
      row.name = forms(mixture, c->recipe);
      row.hard = name;
      row.layers = static_cast<int64_t>(n);
      for (size_t i = 0; i < n; ++i)
        if (!(*found.best)[i])
          row.milder.push_back(name_of(mixture.layers()[i].high));
      if (row.within) return accept(*c);
      refuted.insert(*found.best);
    }
  }

  static std::string name_of(const Decision& d) {
    const std::string name = d.node.empty() ? d.op : d.node;
    return d.scope.empty() ? name : d.scope + "/" + name;
  }

  // The best that keeps the limits on the held-out samples, too; where none
  // does, the best of the search, or else the one with the least error.
  void decide(const std::vector<Candidate>& tried) {
    if (accepted_.empty()) {
      if (tried.empty()) return;
      // Within the limits and no gain; or else the mildest.
      const Candidate& nearest = base_ ? *base_ : tried.front();
      take(nearest);
      if (options_.found) options_.found(nearest.recipe);
      return;
    }
    result_.met = true;
    take(accepted_.back());
    if (holdout_.samples() == 0 || evaluator_.stopped()) return;
    for (size_t i = accepted_.size(); i-- > 0;) {
      const Candidate& c = accepted_[i];
      CompareResult r = evaluator_.elsewhere(c.recipe, holdout_);
      if (r.partial) return;
      ++result_.holdout_looks;
      r.checks = evaluator_.checks(r, c.whole);
      const bool holds = std::all_of(r.checks.begin(), r.checks.end(),
                                     [](const Check& k) { return k.ok; });
      if (holds || i + 1 == accepted_.size()) {
        result_.holdout = std::move(r);
        take(c);
      }
      result_.met = holds;
      if (!holds) continue;
      if (i + 1 < accepted_.size() && options_.found) options_.found(c.recipe);
      return;
    }
  }

  void take(const Candidate& c) {
    result_.chosen = c.row;
    result_.plan = c.plan;
    result_.recipe = c.recipe;
  }

  std::shared_ptr<Runtime> runtime_;
  fs::path model_;
  const Subset& holdout_;
  const TuneOptions& options_;
  TuneResult result_;
  Evaluator evaluator_;
  std::vector<Candidate> accepted_;  // each better than the one before
  std::optional<Candidate> base_;
};

// Batches for the search and batches held out, in a random order.
std::pair<std::vector<int64_t>, std::vector<int64_t>> split(int64_t batches,
                                                            double share,
                                                            uint64_t seed) {
  std::vector<int64_t> order = shuffled(batches, seed ^ 0x686f6c64u);
  auto held =
      static_cast<int64_t>(std::llround(static_cast<double>(batches) * share));
  if (batches < 4 || share <= 0) held = 0;
  held = std::min(held, batches - 1);
  std::vector<int64_t> holdout(order.end() - held, order.end());
  order.resize(static_cast<size_t>(batches - held));
  std::sort(order.begin(), order.end());
  std::sort(holdout.begin(), holdout.end());
  return {std::move(order), std::move(holdout)};
}

}  // namespace

TuneResult tune(const std::shared_ptr<Runtime>& runtime, const fs::path& model,
                const SampleSource& samples, const TuneOptions& options) {
  if (options.limits.empty())
    throw Error(ErrorKind::usage,
                "a search needs to know what is good enough: give a limit, "
                "such as --require 'accuracy.drop <= 0.5%' or --require "
                "'*.cosine >= 0.999'");
  if (options.compare.labels) {
    const int64_t labels = Labels(*options.compare.labels).samples();
    if (labels != samples.samples())
      throw Error(
          ErrorKind::usage,
          fmt::format("there are {} labels for {} samples ({}); one label for "
                      "each sample is needed",
                      labels, samples.samples(), samples.description()));
  }
  const auto [search, held] =
      split(samples.batches(), options.holdout, options.seed);
  const Subset searched(samples, search), holdout(samples, held);
  return Tuner(runtime, model, searched, holdout, options).run();
}

}  // namespace octavo
