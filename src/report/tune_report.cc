#include "report/tune_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.h"
#include "base/version.h"
#include "report/check_text.h"
#include "report/compare_json.h"
#include "report/plan_json.h"
#include "report/table.h"
#include "report/units.h"
#include "report/wrap.h"

namespace octavo {
namespace {

std::string speed(const TuneRow& r) {
  if (!r.speed) return "-";
  if (r.speed->high == 0) return fmt::format("{:.2f}", r.speed->ratio);
  if (r.speed->low == r.speed->high) return "1";
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", r.speed->ratio, r.speed->low,
                     r.speed->high);
}

double share(const TuneResult& t, const TuneRow& r) {
  return static_cast<double>(r.bytes) /
         static_cast<double>(std::max<uint64_t>(t.rows.front().bytes, 1));
}

// "accuracy.drop <= 0.5 %: 1.2 %": those that a row breaks.
std::string broken(const std::vector<Check>& checks) {
  std::string out;
  for (const Check& c : checks)
    if (!c.ok) out += (out.empty() ? "" : "; ") + check_text(c);
  return out;
}

std::string verdict(const TuneResult& t) {
  const TuneRow& chosen = t.rows[t.chosen];
  if (t.chosen == 0)
    return "Stopped before any copy was measured; nothing was written.";
  if (t.met && t.holdout)
    return fmt::format(
        "{} keeps the limits on the {} of the search and on {} that the "
        "search did not see.",
        chosen.name, count_noun(t.search_samples, "sample"),
        count_text(t.holdout_samples));
  if (t.met)
    return fmt::format(
        "{} keeps the limits on the {} of the search. No others were {}: what "
        "a search chose by looks better on its own samples than it is.",
        chosen.name, count_noun(t.search_samples, "sample"),
        t.holdout_samples > 0 ? "asked" : "kept aside");
  if (chosen.within && !t.holdout)
    return fmt::format(
        "{} keeps the limits, but is neither smaller nor faster than the "
        "original: keep that.",
        chosen.name);
  if (t.holdout)
    return fmt::format(
        "No copy keeps the limits on the samples that the search did not see. "
        "The nearest is {}.",
        chosen.name);
  return fmt::format(
      "No copy keeps the limits but the original itself. The nearest is {}: "
      "{}.",
      chosen.name, broken(chosen.checks));
}

// What stayed milder, in words.
std::string why(const TuneResult& t) {
  const TuneRow& r = t.rows[t.chosen];
  if (r.layers == 0 || r.milder.empty()) return "";
  return fmt::format(
      "{} of the {} layers that could be {} stayed milder, because the limits "
      "do not hold with all of them so, and these cost most for what they "
      "gain: {}.",
      r.milder.size(), r.layers, r.hard, name_list(r.milder));
}

std::string holdout_text(const TuneResult& t) {
  if (!t.holdout) return "";
  std::string out = "Held-out samples:";
  for (const Check& c : t.holdout->checks)
    out += fmt::format(" {}{};", check_text(c), c.ok ? "" : " (outside)");
  for (const MetricSummary& m : t.holdout->metrics)
    if (m.interval)
      out += fmt::format(" {} {} -> {}, change {} to {} (95 %);", m.name,
                         significant(m.reference.value_or(0), 4),
                         significant(m.candidate.value_or(0), 4),
                         significant(m.interval->low),
                         significant(m.interval->high));
  out.back() = '.';
  if (t.holdout_looks > 1)
    out += fmt::format(
        " {} candidates were shown them, one after the other, so that they "
        "are no longer quite unseen.",
        t.holdout_looks);
  return out;
}

std::string work(const TuneResult& t) {
  std::string out =
      fmt::format("{} in {}, {}", count_noun(t.evaluations, "evaluation"),
                  duration_text(t.seconds), count_noun(t.sessions, "session"));
  if (t.recalled > 0)
    out +=
        fmt::format("; {} of them known from before", count_text(t.recalled));
  if (t.out_of_time) out += "; the budget ended the search";
  if (t.partial) out += "; stopped early";
  return out + ".";
}

}  // namespace

std::string tune_text(const TuneResult& t, const TuneContext& context,
                      const TextOptions& options) {
  const Paint paint(options.colour);
  const std::string text = wrap_text(verdict(t), options.width);
  std::string out = t.met ? paint.good(text) : paint.bad(text);
  if (const std::string s = why(t); !s.empty())
    out += wrap_text(s, options.width);
  Table table{{{"model", Align::left, true},
               {"size", Align::right},
               {"speed (95 %)", Align::right},
               {"error", Align::right},
               {"limits"}},
              {}};
  for (size_t i = 0; i < t.rows.size(); ++i) {
    const TuneRow& r = t.rows[i];
    table.rows.push_back(
        {r.name + (i == t.chosen && i > 0 ? " *" : ""),
         i == 0 ? bytes_text(r.bytes) : percent_text(share(t, r), 1), speed(r),
         i == 0 ? "0" : significant(r.error),
         i == 0     ? ""
         : r.within ? "kept"
                    : "broken"});
  }
  out += "\n" + table_text(table, {options.width, 2, options.colour}) + "\n";
  const auto say = [&](const std::string& s) {
    if (!s.empty()) out += wrap_text(s, options.width);
  };
  if (t.chosen > 0) {
    for (const Check& c : t.rows[t.chosen].checks)
      say(fmt::format("Search: {}{}.", check_text(c),
                      c.ok ? "" : " (outside)"));
  }
  say(holdout_text(t));
  for (const std::string& note : t.notes) say(note);
  say(fmt::format("{} ONNX Runtime {}; {}.", work(t), context.runtime_version,
                  context.samples));
  if (t.chosen > 0)
    out +=
        fmt::format("Written: {}{}\n", context.output,
                    context.plan_file.empty() ? "" : ", " + context.plan_file);
  return out;
}

Json tune_json(const TuneResult& t, const TuneContext& context) {
  Json j;
  j["schema"] = "octavo.tune/1";
  j["octavo"] = version();
  j["model"] = context.model;
  j["output"] = t.chosen > 0 ? Json(context.output) : Json(nullptr);
  j["plan"] =
      context.plan_file.empty() ? Json(nullptr) : Json(context.plan_file);
  j["runtime"] = context.runtime_version;
  j["samples"] = {{"source", context.samples},
                  {"search", t.search_samples},
                  {"holdout", t.holdout_samples}};
  j["goal"] = t.goal == Goal::size ? "size" : "latency";
  j["met"] = t.met;
  j["chosen"] = t.chosen;
  j["partial"] = t.partial;
  j["out_of_time"] = t.out_of_time;
  j["evaluations"] = t.evaluations;
  j["recalled"] = t.recalled;
  j["sessions"] = t.sessions;
  j["seconds"] = t.seconds;
  j["rows"] = Json::array();
  for (const TuneRow& r : t.rows) {
    Json one;
    one["name"] = r.name;
    one["bytes"] = r.bytes;
    one["size_ratio"] = share(t, r);
    one["error"] = json_number(r.error);
    one["speed"] = r.speed ? Json({{"ratio", json_number(r.speed->ratio)},
                                   {"low", json_number(r.speed->low)},
                                   {"high", json_number(r.speed->high)},
                                   {"seconds", json_number(r.speed->seconds)}})
                           : Json(nullptr);
    one["within"] = r.within;
    one["hard"] = r.hard;
    one["layers"] = r.layers;
    one["milder"] = r.milder;
    one["checks"] = checks_json(r.checks);
    j["rows"].push_back(std::move(one));
  }
  j["holdout"] = t.holdout ? Json({{"looks", t.holdout_looks},
                                   {"checks", checks_json(t.holdout->checks)}})
                           : Json(nullptr);
  j["notes"] = t.notes;
  return j;
}

}  // namespace octavo
