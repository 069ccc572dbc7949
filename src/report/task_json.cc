#include "report/task_json.h"

namespace octavo {
namespace {

Json class_json(const AnswerSummary& a, int64_t id) {
  if (id >= 0 && id < std::ssize(a.names))
    return a.names[static_cast<size_t>(id)];
  return id;
}

Json flip_json(const AnswerSummary& a, const Flip& f) {
  Json j;
  j["sample"] = f.sample;
  j["label"] = class_json(a, f.label);
  j["original"] = class_json(a, f.reference_answer);
  j["copy"] = class_json(a, f.candidate_answer);
  j["original_gap"] = json_number(f.reference_gap);
  j["copy_gap"] = json_number(f.candidate_gap);
  return j;
}

}  // namespace

Json answers_json(const CompareResult& result) {
  if (!result.answers) return nullptr;
  const AnswerSummary& a = *result.answers;
  const auto share = [&](double v) {
    return a.samples > 0 ? Json(v) : Json(nullptr);
  };
  Json j;
  j["output"] = a.output;
  j["samples"] = a.samples;
  j["uncounted"] = a.uncounted;
  j["original_correct"] = a.reference_correct;
  j["copy_correct"] = a.candidate_correct;
  j["original_accuracy"] = share(a.reference_accuracy());
  j["copy_accuracy"] = share(a.candidate_accuracy());
  j["accuracy_drop"] = share(a.accuracy_drop());
  j["flipped"] = a.flipped;
  j["flipped_share"] = share(a.flipped_share());
  j["flipped_to_wrong"] = a.flipped_to_wrong;
  j["flipped_to_right"] = a.flipped_to_right;
  j["flipped_by_tie"] = a.flipped_by_tie;
  j["original_ties"] = a.reference_ties;
  j["copy_ties"] = a.candidate_ties;
  j["original_tied_wrong"] = a.reference_tied_wrong;
  j["copy_tied_wrong"] = a.candidate_tied_wrong;
  j["first_flips"] = Json::array();
  for (const Flip& f : a.first_flips)
    j["first_flips"].push_back(flip_json(a, f));
  return j;
}

Json metrics_json(const CompareResult& result) {
  Json list = Json::array();
  for (const MetricSummary& m : result.metrics) {
    Json j;
    j["name"] = m.name;
    j["output"] = m.output;
    j["higher_is_better"] = m.higher_is_better;
    j["samples"] = m.samples;
    j["uncounted"] = m.uncounted;
    j["original"] = json_number(m.reference);
    j["copy"] = json_number(m.candidate);
    j["difference"] = json_number(m.difference);
    j["interval_95"] = m.interval ? Json({json_number(m.interval->low),
                                          json_number(m.interval->high)})
                                  : Json(nullptr);
    j["mcnemar_p"] = json_number(m.p);
    j["detectable_loss"] = json_number(m.detectable);
    j["note"] = m.note.empty() ? Json(nullptr) : Json(m.note);
    list.push_back(std::move(j));
  }
  return list;
}

Json figures_json(const CompareResult& result) {
  Json list = Json::array();
  for (const Figure& f : result.figures) {
    Json j;
    j["name"] = f.name;
    j["original"] = json_number(f.reference);
    j["copy"] = json_number(f.candidate);
    j["value"] = json_number(f.value);
    list.push_back(std::move(j));
  }
  return list;
}

}  // namespace octavo
