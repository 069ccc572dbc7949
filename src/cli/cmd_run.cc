// `octavo run`: what a model answers to a person's inputs.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/element.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/run_options.h"
#include "cli/terminal.h"
#include "octavo/error.h"
#include "report/array_text.h"
#include "report/json.h"
#include "report/text_width.h"
#include "runtime/npz.h"
#include "runtime/read_ahead.h"

namespace octavo::cli {
namespace {

namespace fs = std::filesystem;

// More values than this are shown in part, unless --full.
constexpr int64_t kShownValues = 1000;

struct Options {
  RunOptions run;
  std::string model;
  std::string save;
  bool force = false;
  bool full = false;
  bool json = false;
};

// The name of item `i` of a sequence or map.
std::string part_name(const std::string& name, const Value& value, size_t i) {
  return value.kind == ValueKind::map ? name + (i == 0 ? ".keys" : ".values")
                                      : fmt::format("{}.{}", name, i);
}

// A value's tensors with names: a sequence gives "y.0", "y.1", ..., a map
// "y.keys" and "y.values", an empty optional nothing.
void flatten(const std::string& name, const Value& value,
             std::vector<std::pair<std::string, Tensor>>& out) {
  if (value.kind == ValueKind::tensor) out.emplace_back(name, value.tensor);
  for (size_t i = 0; i < value.items.size(); ++i)
    flatten(part_name(name, value, i), value.items[i], out);
}

Json element_json(const Tensor& tensor, int64_t i) {
  const auto at = static_cast<size_t>(i);
  switch (tensor.type) {
    case DType::string:
      return tensor.strings[at];
    case DType::boolean:
      return element_value(tensor.type, tensor.bytes, i) != 0;
    case DType::int64:
      return tensor.as<int64_t>()[at];
    case DType::uint64:
      return tensor.as<uint64_t>()[at];
    case DType::complex64:
      return {json_number(tensor.as<float>()[2 * at]),
              json_number(tensor.as<float>()[2 * at + 1])};
    case DType::complex128:
      return {json_number(tensor.as<double>()[2 * at]),
              json_number(tensor.as<double>()[2 * at + 1])};
    default:
      break;
  }
  const double value = element_value(tensor.type, tensor.bytes, i);
  if (is_integer(tensor.type)) return static_cast<int64_t>(value);
  return json_number(value);
}

Json value_json(const Value& value, bool full) {
  if (value.kind == ValueKind::none) return {{"kind", "none"}};
  if (value.kind != ValueKind::tensor) {
    Json items = Json::array();
    for (const Value& item : value.items)
      items.push_back(value_json(item, full));
    return {{"kind", value_kind_name(value.kind)}, {"items", items}};
  }
  const int64_t count = element_count(value.tensor.shape);
  const bool cut = !full && count > kShownValues;
  Json values = Json::array();
  for (int64_t i = 0; i < (cut ? kShownValues : count); ++i)
    values.push_back(element_json(value.tensor, i));
  return {{"kind", "tensor"},
          {"dtype", dtype_name(value.tensor.type)},
          {"shape", value.tensor.shape},
          {"values", std::move(values)},
          {"truncated", cut}};
}

std::string value_report(const std::string& name, const Value& value,
                         bool full) {
  std::string out = fmt::format("{}  {}\n", printable(name), value_text(value));
  if (value.kind == ValueKind::tensor) {
    ArrayTextOptions how;
    how.threshold = full ? 0 : kShownValues;
    how.width = stdout_text_options().width;
    out += array_text(value.tensor, how) + "\n";
  }
  for (size_t i = 0; i < value.items.size(); ++i)
    out += value_report(part_name(name, value, i), value.items[i], full);
  return out;
}

// What --save writes: the outputs of all batches, joined along the leading
// axis.
class Saved {
 public:
  void add(const std::vector<Port>& ports, const std::vector<Value>& outputs) {
    std::vector<std::pair<std::string, Tensor>> flat;
    for (size_t i = 0; i < outputs.size(); ++i)
      flatten(ports[i].name, outputs[i], flat);
    if (arrays_.empty()) {
      arrays_ = std::move(flat);
      return;
    }
    if (flat.size() != arrays_.size()) refuse("the number of outputs");
    for (size_t i = 0; i < flat.size(); ++i)
      append(arrays_[i].second, flat[i].second, flat[i].first);
  }

  void write(const fs::path& path) const {
    if (arrays_.empty())
      throw Error(ErrorKind::unsupported,
                  fmt::format("'{}' is not written: the model gave no arrays.",
                              path.string()));
    write_npz(path, arrays_);
    for (const auto& [name, tensor] : arrays_)
      if (widened_type(tensor.type) != tensor.type)
        fmt::print(stderr,
                   "octavo: note: '{}' is {}, which numpy lacks; it is saved "
                   "as {} with the same values.\n",
                   printable(name), dtype_name(tensor.type),
                   dtype_name(widened_type(tensor.type)));
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) {
    throw Error(ErrorKind::usage,
                fmt::format("{} differs between batches, so they cannot be "
                            "saved as one array; run fewer samples at once.",
                            what));
  }

  static void append(Tensor& to, const Tensor& from, const std::string& name) {
    const bool fits = to.type == from.type && !to.shape.empty() &&
                      to.shape.size() == from.shape.size() &&
                      dtype_bits(to.type) % 8 == 0 &&
                      std::equal(to.shape.begin() + 1, to.shape.end(),
                                 from.shape.begin() + 1);
    if (!fits) refuse(fmt::format("the shape of '{}'", name));
    to.shape[0] += from.shape[0];
    to.bytes.insert(to.bytes.end(), from.bytes.begin(), from.bytes.end());
    to.strings.insert(to.strings.end(), from.strings.begin(),
                      from.strings.end());
  }

  std::vector<std::pair<std::string, Tensor>> arrays_;
};

void check_save(const Options& options) {
  std::error_code ignored;
  if (options.save.empty() || options.force) return;
  if (fs::exists(options.save, ignored))
    throw Error(ErrorKind::usage,
                fmt::format("'{}' exists already; add --force to replace it.",
                            options.save));
}

int run_model(const Options& options) {
  check_save(options);
  const SampleSpec spec = sample_spec(options.run);
  const auto runtime = load_runtime(runtime_options(options.run));
  const auto session =
      open_session(runtime, options.model, session_options(options.run));
  const auto samples = open_samples(spec, session->inputs());
  const std::vector<Port>& ports = session->outputs();

  const std::atomic<bool>& stop = catch_interrupt();
  Json batches = Json::array();
  Saved saved;
  ReadAhead reader(*samples, 0, samples->batches());
  for (int64_t i = 0; i < samples->batches(); ++i) {
    if (stop) throw Interrupted{};
    const Batch batch = reader.next().value();
    const std::vector<Value> outputs = session->run(batch.feed);
    if (!options.save.empty()) saved.add(ports, outputs);
    if (options.json) {
      Json list = Json::array();
      for (size_t k = 0; k < outputs.size(); ++k) {
        Json one = {{"name", ports[k].name}};
        one.update(value_json(outputs[k], options.full));
        list.push_back(std::move(one));
      }
      batches.push_back({{"name", batch.name},
                         {"first", batch.first},
                         {"count", batch.count},
                         {"outputs", std::move(list)}});
      continue;
    }
    if (samples->batches() > 1)
      print_result(
          fmt::format("{}{}:\n", i > 0 ? "\n" : "", printable(batch.name)));
    for (size_t k = 0; k < outputs.size(); ++k)
      print_result(value_report(ports[k].name, outputs[k], options.full));
  }
  if (samples->synthetic() && !options.json)
    fmt::print(stderr, "octavo: note: the inputs were generated: {}.\n",
               samples->description());
  if (!options.save.empty()) saved.write(options.save);
  if (options.json) {
    const RuntimeInfo& info = runtime_info(*runtime);
    const Json out = {
        {"schema", "octavo.run/1"},
        {"model", options.model},
        {"runtime",
         {{"version", info.version}, {"library", info.library.string()}}},
        {"samples",
         {{"description", samples->description()},
          {"synthetic", samples->synthetic()},
          {"count", samples->samples()}}},
        {"batches", std::move(batches)}};
    print_result(json_text(out));
  }
  return 0;
}

}  // namespace

void add_run(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("run", "Run a model and print its outputs");
  const auto options = std::make_shared<Options>();
  command->add_option("model", options->model, "ONNX model")
      ->required()
      ->type_name("MODEL");
  add_run_options(*command, options->run);
  command
      ->add_option("--save", options->save,
                   help("Write the outputs of all batches to an .npz, joined "
                        "along the leading axis"))
      ->type_name("FILE");
  command->add_flag("--force", options->force, "Let --save replace a file");
  command->add_flag("--full", options->full, "Print every value");
  command->add_flag("--json", options->json, "Print one JSON document");
  command->callback([&action, options] {
    action = [options] { return run_model(*options); };
  });
}

}  // namespace octavo::cli
