// A model opened on ONNX Runtime: the Runner that programs use.
#include <fmt/format.h>

#include <cctype>
#include <memory>
#include <system_error>

#include "base/names.h"
#include "runtime/feed_check.h"
#include "runtime/ort_values.h"

namespace octavo {
namespace {

namespace fs = std::filesystem;

// "XnnpackExecutionProvider" and "xnnpack" are the same provider.
std::string provider_key(std::string_view name) {
  constexpr std::string_view kTail = "executionprovider";
  std::string key;
  for (char c : name)
    key += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (key.size() > kTail.size() && key.ends_with(kTail))
    key.resize(key.size() - kTail.size());
  return key;
}

void append_provider(const Runtime& runtime, OrtSessionOptions* options,
                     const std::string& name) {
  const std::string key = provider_key(name);
  if (key == "cpu") return;  // always there, always last
  const std::vector<std::string>& have = runtime.info().providers;
  const std::string* found = nullptr;
  for (const std::string& provider : have)
    if (provider_key(provider) == key) found = &provider;
  if (found == nullptr)
    throw Error(ErrorKind::runtime,
                fmt::format("{} in '{}' has no provider '{}'; it has {}.",
                            runtime.name(), runtime.info().library.string(),
                            name, name_list(have)));
  // The API takes its own spelling of a few names, and upper case of others.
  std::string spelled =
      found->substr(0, found->size() - std::string("ExecutionProvider").size());
  if (key == "xnnpack" || key == "azure" || key == "qnn")
    for (char& c : spelled)
      c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const OrtApi& api = runtime.api();
  check(
      api,
      api.SessionOptionsAppendExecutionProvider(options, spelled.c_str(),
                                                nullptr, nullptr, 0),
      fmt::format("{} does not take the provider '{}'", runtime.name(), name));
}

GraphOptimizationLevel level_of(Optimization optimization) {
  switch (optimization) {
    case Optimization::disabled:
      return ORT_DISABLE_ALL;
    case Optimization::basic:
      return ORT_ENABLE_BASIC;
    case Optimization::extended:
      return ORT_ENABLE_EXTENDED;
    case Optimization::all:
      break;
  }
  return ORT_ENABLE_ALL;
}

OrtOwned<OrtSessionOptions> make_options(const Runtime& runtime,
                                         const SessionOptions& options) {
  const OrtApi& api = runtime.api();
  const std::string what =
      runtime.name() + " does not take the session's options";
  auto out = make_owned(api, api.ReleaseSessionOptions, what,
                        api.CreateSessionOptions);
  if (options.single_thread)
    check(api, api.SetIntraOpNumThreads(out.get(), 1), what);
  else
    check(api, api.DisablePerSessionThreads(out.get()), what);
  check(api,
        api.SetSessionGraphOptimizationLevel(out.get(),
                                             level_of(options.optimization)),
        what);
  const auto config = [&](const char* key, const std::string& value) {
    check(api, api.AddSessionConfigEntry(out.get(), key, value.c_str()), what);
  };
  if (!options.prepack) config("session.disable_prepacking", "1");
  if (!options.external_data_folder.empty())
    config("session.model_external_initializers_file_folder_path",
           options.external_data_folder.string());
  if (!options.optimized_model.empty())
    check(api,
          api.SetOptimizedModelFilePath(out.get(),
                                        options.optimized_model.c_str()),
          what);
  if (!options.profile.empty())
    check(api, api.EnableProfiling(out.get(), options.profile.c_str()), what);
  for (const std::string& provider : options.providers)
    append_provider(runtime, out.get(), provider);
  for (const fs::path& library : options.custom_ops)
    check(api, api.RegisterCustomOpsLibrary_V2(out.get(), library.c_str()),
          fmt::format("the library of operators '{}' does not load",
                      library.string()));
  return out;
}

class Session : public Runner {
 public:
  Session(std::shared_ptr<Runtime> runtime, OrtOwned<OrtSession> session)
      : runtime_(std::move(runtime)), session_(std::move(session)) {
    const OrtApi& api = runtime_->api();
    read_ports(api.SessionGetInputCount, api.SessionGetInputName,
               api.SessionGetInputTypeInfo, inputs_);
    read_ports(api.SessionGetOutputCount, api.SessionGetOutputName,
               api.SessionGetOutputTypeInfo, outputs_);
  }

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }

  std::vector<Value> run(const Feed& feed) override {
    std::vector<OrtOwned<OrtValue>> results = call(bind(feed));
    std::vector<Value> out;
    for (size_t i = 0; i < results.size(); ++i) {
      out.push_back(
          value_from_ort(*runtime_, results[i].get(), outputs_[i].name));
      results[i].reset();  // never hold the runtime's copy of all and ours
    }
    return out;
  }

  PreparedCall prepare(const Feed& feed) override {
    return [this, bound = std::make_shared<const Bound>(bind(feed))] {
      call(*bound);
    };
  }

 private:
  // A feed as the runtime takes it.
  struct Bound {
    std::vector<BoundValue> values;
    std::vector<const OrtValue*> given;
    std::vector<const char*> given_names, wanted_names;
  };

  Bound bind(const Feed& feed) const {
    const std::vector<const Value*> values = check_feed(feed, inputs_);
    Bound out;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      out.values.push_back(bind_value(*runtime_, *values[i], inputs_[i].name));
      out.given.push_back(out.values.back().value.get());
      out.given_names.push_back(inputs_[i].name.c_str());
    }
    for (const Port& port : outputs_)
      out.wanted_names.push_back(port.name.c_str());
    return out;
  }

  std::vector<OrtOwned<OrtValue>> call(const Bound& bound) {
    const OrtApi& api = runtime_->api();
    std::vector<OrtValue*> raw(outputs_.size(), nullptr);
    OrtStatus* status = api.Run(
        session_.get(), nullptr, bound.given_names.data(), bound.given.data(),
        bound.given.size(), bound.wanted_names.data(), raw.size(), raw.data());
    std::vector<OrtOwned<OrtValue>> results;
    for (OrtValue* value : raw)
      results.emplace_back(value, OrtRelease<OrtValue>{api.ReleaseValue});
    check(api, status,
          fmt::format("{} could not run the model", runtime_->name()));
    return results;
  }

  template <typename Count, typename Name, typename Type>
  void read_ports(Count count_of, Name name_of, Type type_of,
                  std::vector<Port>& ports) {
    const OrtApi& api = runtime_->api();
    const std::string what = "the model's inputs and outputs cannot be read";
    OrtAllocator* allocator = nullptr;
    check(api, api.GetAllocatorWithDefaultOptions(&allocator), what);
    size_t count = 0;
    check(api, count_of(session_.get(), &count), what);
    for (size_t i = 0; i < count; ++i) {
      char* text = nullptr;
      check(api, name_of(session_.get(), i, allocator, &text), what);
      const std::string name = text;
      allocator->Free(allocator, text);
      const auto info = make_owned(api, api.ReleaseTypeInfo, what, type_of,
                                   session_.get(), i);
      ports.push_back(port_from_ort(api, name, info.get()));
    }
  }

  std::shared_ptr<Runtime> runtime_;  // outlives session_
  OrtOwned<OrtSession> session_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
};

}  // namespace

std::unique_ptr<Runner> open_session(const std::shared_ptr<Runtime>& runtime,
                                     const fs::path& model,
                                     const SessionOptions& options) {
  std::error_code failed;
  const fs::file_status status = fs::status(model, failed);
  if (!fs::exists(status))
    throw Error(ErrorKind::io,
                fmt::format("there is no file '{}'.", model.string()));
  if (fs::is_directory(status))
    throw Error(ErrorKind::io,
                fmt::format("'{}' is a folder; an ONNX model is a file.",
                            model.string()));
  const OrtApi& api = runtime->api();
  const auto settings = make_options(*runtime, options);
  auto session = make_owned(
      api, api.ReleaseSession,
      fmt::format("{} could not load '{}'", runtime->name(), model.string()),
      api.CreateSession, runtime->env(), model.c_str(), settings.get());
  return std::make_unique<Session>(runtime, std::move(session));
}

std::unique_ptr<Runner> open_session(const std::shared_ptr<Runtime>& runtime,
                                     Bytes model,
                                     const SessionOptions& options) {
  const OrtApi& api = runtime->api();
  const auto settings = make_options(*runtime, options);
  auto session = make_owned(
      api, api.ReleaseSession,
      fmt::format("{} could not load the model in memory", runtime->name()),
      api.CreateSessionFromArray, runtime->env(), model.data(), model.size(),
      settings.get());
  return std::make_unique<Session>(runtime, std::move(session));
}

}  // namespace octavo
