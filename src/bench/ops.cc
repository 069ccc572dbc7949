#include "bench/ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/random.h"
#include "bench/calls.h"
#include "bench/pairing.h"
#include "bench/profile.h"
#include "bench/stats.h"
#include "graph/index.h"
#include "model/data.h"
#include "octavo/error.h"
#include "octavo/inspect.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostEvents =
    300'000;  // in a profile; the runtime has a limit
constexpr double kRoundsWanted = 20;
constexpr double kLeastNs = 1000;  // what a profile can tell

// Every node has a name of its own, by which its kernel is known again.
bool name_nodes(Model& model) {
  std::set<std::string> taken;
  bool changed = false;
  for (auto& node : *model.data().proto.mutable_graph()->mutable_node()) {
    std::string name = node.name();
    if (name.empty() && node.output_size() > 0)
      name = node.output(0) + "_" + node.op_type();
    std::string unique = name;
    for (int i = 2; unique.empty() || !taken.insert(unique).second; ++i)
      unique = fmt::format("{}_{}", name, i);
    if (unique == node.name()) continue;
    node.set_name(unique);
    changed = true;
  }
  return changed;
}

// A model opened to be profiled, and the files of that.
struct Profiled {
  Profiled(const std::shared_ptr<Runtime>& runtime, const fs::path& path,
           SessionOptions session, fs::path folder)
      : folder(std::move(folder)), model(open_model(path)) {
    fs::create_directories(this->folder);
    fs::path file = path;
    if (name_nodes(model)) {
      file = this->folder / "named.onnx";
      write_model(model, file, {.sync = false});
    }
    session.profile = this->folder / "profile";
    session.optimized_model = this->folder / "running.onnx";
    runner = open_session(runtime, file, session);
  }

  // The runtime writes the profile's end when the session goes.
  Profile finish() {
    runner.reset();
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().filename().string().starts_with("profile"))
        return read_profile(entry.path());
    throw Error(ErrorKind::runtime,
                "this ONNX Runtime wrote no profile, so --ops cannot say where "
                "the time goes.");
  }

  fs::path folder;
  Model model;
  std::unique_ptr<Runner> runner;
};

// Which of a session's runs count, by round: the first of a block does not.
struct Schedule {
  std::vector<std::vector<size_t>> rounds;
  size_t runs = 0;
};

// Turns of blocks, until the time is up.
std::vector<Schedule> run_rounds(std::vector<std::vector<PreparedCall>>& calls,
                                 const std::vector<int64_t>& nodes,
                                 const OpsOptions& options) {
  BenchClock& clock = steady_clock();
  std::vector<Schedule> out(calls.size());
  double all_ns = 1;
  for (size_t m = 0; m < calls.size(); ++m)
    for (int i = 0; i < 2; ++i) {
      const int64_t begin = clock.now();
      calls[m][0]();
      ++out[m].runs;
      if (i == 1) all_ns += static_cast<double>(clock.now() - begin);
    }
  const int64_t most_runs = std::max<int64_t>(
      8, kMostEvents / std::max<int64_t>(1, std::max(nodes[0], nodes[1])));
  const double fit = options.budget_seconds * 1e9 / all_ns;
  const double runs = std::min(fit, static_cast<double>(most_runs));
  const auto block =
      static_cast<size_t>(std::clamp(runs / kRoundsWanted - 1, 1.0, 50.0));
  Random random(options.seed);
  size_t first = 0;
  const int64_t begin = clock.now();
  do {
    const size_t first_model = random.below(2);
    for (size_t k = 0; k < 2; ++k) {
      const size_t m = (first_model + k) % 2;
      auto& counted = out[m].rounds.emplace_back();
      for (size_t i = 0; i <= block; ++i) {
        calls[m][(first + (i == 0 ? 0 : i - 1)) % calls[m].size()]();
        if (i > 0) counted.push_back(out[m].runs);
        ++out[m].runs;
      }
    }
    first += block;
    if (options.stop != nullptr && *options.stop) break;
  } while (static_cast<double>(clock.now() - begin) <
               options.budget_seconds * 1e9 &&
           out[0].runs + block < static_cast<size_t>(most_runs));
  return out;
}

// Mean of the middle half: the profile counts whole microseconds, so that a
// median could not tell 2.4 from 2.6.
double middle_mean(std::vector<double> v) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  const size_t cut = v.size() / 4;
  double sum = 0;
  for (size_t i = cut; i < v.size() - cut; ++i) sum += v[i];
  return sum / static_cast<double>(v.size() - 2 * cut);
}

std::vector<double> counted(const std::vector<double>& ns,
                            const Schedule& schedule) {
  std::vector<double> out;
  for (const auto& round : schedule.rounds)
    for (const size_t run : round)
      if (run < ns.size()) out.push_back(ns[run]);
  return out;
}

Blocks blocks_of(const std::vector<double>& ns, const Schedule& schedule) {
  Blocks out;
  for (const auto& round : schedule.rounds) {
    auto& block = out.emplace_back();
    // Nothing can be divided by a kernel that took less than a microsecond.
    for (const size_t run : round)
      block.push_back(std::max<int64_t>(1, std::llround(ns.at(run))));
  }
  return out;
}

void judge(LayerTime& layer, const std::vector<double>& original,
           const std::vector<double>& copy, const Schedule& a,
           const Schedule& b, uint64_t seed) {
  layer.original_ns = middle_mean(counted(original, a));
  layer.copy_ns = middle_mean(counted(copy, b));
  if (a.rounds.size() < kLeastRounds) return;
  const std::vector<Blocks> blocks = {blocks_of(original, a),
                                      blocks_of(copy, b)};
  const RatioIntervals r = bootstrap_ratios(blocks, seed, 1000)[0];
  layer.interval_95 = r.interval_95;
  const double gain = layer.original_ns - layer.copy_ns;
  const bool tells = std::abs(gain) >= kLeastNs;
  layer.outcome = tells && gain > 0 && r.interval_99.low > 1 ? Outcome::faster
                  : tells && gain < 0 && r.interval_99.high < 1
                      ? Outcome::slower
                      : Outcome::no_difference;
}

void add_to(std::vector<double>& sum, const std::vector<double>& v,
            double share) {
  sum.resize(std::max(sum.size(), v.size()));
  for (size_t i = 0; i < v.size(); ++i) sum[i] += share * v[i];
}

std::vector<OperatorTime> by_operator(const Profile& a, const Profile& b,
                                      const Schedule& sa, const Schedule& sb) {
  std::map<std::string, OperatorTime> all;
  for (const KernelTimes& k : a.kernels) {
    OperatorTime& o = all[k.op];
    o.original_ns += middle_mean(counted(k.ns, sa));
    ++o.original_nodes;
  }
  for (const KernelTimes& k : b.kernels) {
    OperatorTime& o = all[k.op];
    o.copy_ns += middle_mean(counted(k.ns, sb));
    ++o.copy_nodes;
  }
  std::vector<OperatorTime> out;
  for (auto& [op, time] : all) {
    time.op = op;
    out.push_back(std::move(time));
  }
  std::sort(out.begin(), out.end(),
            [](const OperatorTime& x, const OperatorTime& y) {
              return std::max(x.original_ns, x.copy_ns) >
                     std::max(y.original_ns, y.copy_ns);
            });
  return out;
}

// "Conv, Relu" and "MatMul, 3 Add": those that take most time first.
class OpList {
 public:
  void add(const std::string& op, double ns) {
    for (Op& o : ops_)
      if (o.name == op) {
        ++o.count;
        o.ns += ns;
        return;
      }
    ops_.push_back({op, 1, ns});
  }
  std::string text() {
    std::stable_sort(ops_.begin(), ops_.end(),
                     [](const Op& x, const Op& y) { return x.ns > y.ns; });
    std::string out;
    for (const auto& [name, count, ns] : ops_) {
      if (!out.empty()) out += ", ";
      if (count > 1) out += fmt::format("{} ", count);
      out += name;
    }
    return out;
  }

 private:
  struct Op {
    std::string name;
    int count = 0;
    double ns = 0;
  };
  std::vector<Op> ops_;
};

// What is known of a group before it is timed.
struct Group {
  LayerTime layer;
  OpList before, after;
  std::vector<double> original, copy;  // ns, by run
};

void share_gains(OpsResult& r) {
  double gained = 0, lost = 0;
  for (const LayerTime& l : r.layers)
    (l.copy_ns < l.original_ns ? gained : lost) +=
        std::abs(l.original_ns - l.copy_ns);
  for (LayerTime& l : r.layers) {
    const double gain = l.original_ns - l.copy_ns;
    const double all = gain > 0 ? gained : lost;
    l.share_of_gain = all > 0 ? gain / all : 0;
  }
}

}  // namespace

OpsResult profile_ops(const std::shared_ptr<Runtime>& runtime,
                      const fs::path& original, const fs::path& copy,
                      const SessionOptions& session,
                      const SampleSource& samples, const OpsOptions& options) {
  const UsedBatches used = use_batches(samples, options.most_batches);
  Profiled a(runtime, original, session, options.scratch / "original");
  Profiled b(runtime, copy, session, options.scratch / "copy");
  std::vector<Contender> both = {{"original", a.runner.get()},
                                 {"copy", b.runner.get()}};
  auto calls = prepare_calls(both, used);
  const Model a_runs = open_model(a.folder / "running.onnx");
  const Model b_runs = open_model(b.folder / "running.onnx");
  const auto schedules = run_rounds(calls,
                                    {a_runs.data().proto.graph().node_size(),
                                     b_runs.data().proto.graph().node_size()},
                                    options);
  calls.clear();
  const Profile pa = a.finish(), pb = b.finish();
  const Schedule &sa = schedules[0], &sb = schedules[1];

  OpsResult out;
  out.rounds = sa.rounds.size();
  for (const auto& round : sa.rounds) out.runs += std::ssize(round);
  out.operators = by_operator(pa, pb, sa, sb);
  for (const OperatorTime& o : out.operators) {
    out.original_ns += o.original_ns;
    out.copy_ns += o.copy_ns;
  }

  // Again from the file: with the names that a person knows.
  Model plain = open_model(original);
  const Model plain_copy = open_model(copy);
  inline_like(plain, plain_copy);
  const KernelPairing pairing = pair_kernels(plain, {&a_runs, &b_runs});
  const onnx::GraphProto& graph = plain.data().proto.graph();
  std::map<std::string, Change> made;
  for (Change& c : changes(plain, plain_copy))
    if (c.scope.empty()) made[c.value] = std::move(c);
  std::vector<Group> groups(pairing.groups.size());
  for (size_t g = 0; g < groups.size(); ++g)
    for (const int i : pairing.groups[g]) {
      const onnx::NodeProto& node = graph.node(i);
      if (node.op_type() != "Constant") groups[g].before.add(node.op_type(), 0);
      if (node.output_size() == 0) continue;
      const auto change = made.find(node.output(0));
      if (change == made.end()) continue;
      const std::string& name =
          change->second.node.empty() ? node.output(0) : change->second.node;
      LayerTime& layer = groups[g].layer;
      if (layer.name.empty()) layer.name = name;
      if (change->second.quantized) layer.nodes.push_back(name);
      layer.quantized = layer.quantized || change->second.quantized;
    }
  Group rest;
  const auto add = [&](const Profile& profile, const Served& served,
                       bool is_copy) {
    for (const KernelTimes& k : profile.kernels) {
      const auto found = served.find(k.name);
      if (found == served.end()) {
        if (is_copy) out.unpaired_ns += middle_mean(counted(k.ns, sb));
        continue;
      }
      const double share = 1.0 / static_cast<double>(found->second.size());
      for (const int g : found->second) {
        Group& own = groups[static_cast<size_t>(g)];
        Group& group = own.layer.name.empty() ? rest : own;
        add_to(is_copy ? group.copy : group.original, k.ns, share);
        if (is_copy) group.after.add(k.op, middle_mean(k.ns));
      }
    }
  };
  add(pa, pairing.models[0], false);
  add(pb, pairing.models[1], true);

  const auto finish = [&](Group& group) {
    group.original.resize(pa.run_ns.size());
    group.copy.resize(pb.run_ns.size());
    group.layer.before = group.before.text();
    group.layer.after = group.after.text();
    judge(group.layer, group.original, group.copy, sa, sb, options.seed);
    out.layers.push_back(std::move(group.layer));
  };
  for (Group& group : groups)
    if (!group.layer.name.empty()) finish(group);
  std::stable_sort(out.layers.begin(), out.layers.end(),
                   [](const LayerTime& x, const LayerTime& y) {
                     return std::abs(x.original_ns - x.copy_ns) >
                            std::abs(y.original_ns - y.copy_ns);
                   });
  finish(rest);
  share_gains(out);
  for (const LayerTime& l : out.layers)
    if (l.quantized && l.outcome == Outcome::slower &&
        l.copy_ns - l.original_ns >= kLeastLoss * out.original_ns)
      out.leave_float.insert(out.leave_float.end(), l.nodes.begin(),
                             l.nodes.end());
  return out;
}

}  // namespace octavo
