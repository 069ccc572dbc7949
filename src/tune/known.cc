#include "tune/known.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <span>

#include "base/sha256.h"
#include "base/version.h"
#include "model/mapped_file.h"
#include "model/output_file.h"
#include "octavo/error.h"
#include "runtime/byte_source.h"
#include "tune/remembering.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Json = Known::Json;

constexpr const char* kSchema = "octavo.state/1";
constexpr int64_t kMostBytes = int64_t{256} << 20;

std::string digest_of_samples(const SampleSource& samples) {
  Sha256 hash;
  for (int64_t b = 0; b < samples.batches(); ++b) {
    const std::string key = feed_key(samples.batch(b).feed);
    hash.update(std::as_bytes(std::span(key)));
  }
  return hash.finish_hex();
}

[[noreturn]] void broken(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::format,
              fmt::format("'{}' is no state file of octavo: {}; name another "
                          "file, or remove this one",
                          path.string(), why));
}

}  // namespace

std::string sha256_of_file(const fs::path& path) {
  const auto file = open_file_source(path);
  Sha256 hash;
  std::vector<std::byte> piece(1 << 20);
  for (int64_t at = 0; at < file->size();) {
    const auto n = std::min<int64_t>(std::ssize(piece), file->size() - at);
    const auto part = std::span(piece).first(static_cast<size_t>(n));
    file->read(at, part);
    hash.update(part);
    at += n;
  }
  return hash.finish_hex();
}

Question question_of(const fs::path& model, const SampleSource& samples,
                     const CompareOptions& compare,
                     const SessionOptions& session, const Runtime& runtime) {
  Question q;
  q["octavo"] = version();
  q["model"] = sha256_of_file(model);
  q["samples"] = digest_of_samples(samples);
  q["runtime"] = runtime_info(runtime).version;
  std::string settings = fmt::format(
      "level {} seed {}", static_cast<int>(session.optimization), compare.seed);
  for (const auto& p : session.providers) settings += " " + p;
  for (const auto& c : session.custom_ops) settings += " " + c.string();
  q["settings"] = settings;
  std::string metrics = compare.label_output;
  for (const MetricSpec& m : compare.metrics) metrics += " " + metric_name(m);
  q["metrics"] = metrics;
  if (compare.labels)
    q["labels"] = feed_key({{{"labels", Value(*compare.labels)}}});
  return q;
}

Known::Known(fs::path path, Question question)
    : path_(std::move(path)), question_(std::move(question)) {
  std::error_code missing;
  if (path_.empty() || !fs::exists(path_, missing)) return;
  const auto source = open_file_source(path_);
  if (source->size() > kMostBytes) broken(path_, "it is too long");
  std::string text(static_cast<size_t>(source->size()), '\0');
  source->read(0, std::as_writable_bytes(std::span(text)));
  const auto shallow = [&](int depth, Json::parse_event_t, const Json&) {
    if (depth > 8) broken(path_, "it nests too deep");
    return true;
  };
  Json j;
  try {
    j = Json::parse(text, shallow);
  } catch (const Json::exception&) {
    broken(path_, "it is no JSON");
  }
  if (!j.is_object() || j.value("schema", Json()) != kSchema)
    broken(path_, fmt::format("its schema is not {}", kSchema));
  if (!j.contains("question") || !j["question"].is_object() ||
      !j.contains("known") || !j["known"].is_object())
    broken(path_, "question or known is missing");
  Question theirs;
  for (const auto& [name, value] : j["question"].items()) {
    if (!value.is_string()) broken(path_, "its question is no text");
    theirs[name] = value.get<std::string>();
  }
  for (const auto* side : {&question_, &theirs})
    for (const auto& [name, value] : *side)
      if (!theirs.contains(name) || !question_.contains(name) ||
          theirs[name] != question_[name])
        throw Error(ErrorKind::usage,
                    fmt::format("the state file '{}' was written for other "
                                "{}: name another file with --state, or "
                                "remove this one to begin anew",
                                path_.string(), name));
  for (const auto& [key, value] : j["known"].items()) values_[key] = value;
}

std::optional<Json> Known::find(const std::string& key) const {
  const auto it = values_.find(key);
  if (it == values_.end()) return std::nullopt;
  return it->second;
}

void Known::add(const std::string& key, Json value) {
  values_[key] = std::move(value);
  if (path_.empty()) return;
  const Json j = {
      {"schema", kSchema}, {"question", question_}, {"known", values_}};
  const std::string text =
      j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  OutputFile file(path_, text.size());
  file.write(0, std::as_bytes(std::span(text)));
  file.commit(false);
}

Json number_to_json(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v < 0 ? "-Infinity" : "Infinity";
  return v;
}

double number_from_json(const Json& j) {
  if (j.is_number()) return j.get<double>();
  if (j == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (j == "Infinity") return std::numeric_limits<double>::infinity();
  if (j == "-Infinity") return -std::numeric_limits<double>::infinity();
  throw Error(ErrorKind::format,
              "the state file holds something else where a number was "
              "expected; remove it to begin anew");
}

}  // namespace octavo
