// Loading a runtime: the library, then one environment with one thread pool
// for all sessions.
#include <fmt/format.h>

#include <string_view>
#include <thread>
#include <utility>

#include "base/dynamic_library.h"
#include "base/stderr_filter.h"
#include "proto/onnx.pb.h"
#include "runtime/runtime_impl.h"

namespace octavo {
namespace {

// The runtime's own log goes nowhere: what matters comes back as a status, and
// a library does not print. (An environment outlives its Runtime where two
// share it, so the callback holds no state.)
void ORT_API_CALL drop_log(void*, OrtLoggingLevel, const char*, const char*,
                           const char*, const char*) {}

std::vector<std::string> available_providers(const OrtApi& api) {
  char** names = nullptr;
  int count = 0;
  check(api, api.GetAvailableProviders(&names, &count),
        "ONNX Runtime cannot list its providers");
  std::vector<std::string> out(names, names + count);
  check(api, api.ReleaseAvailableProviders(names, count),
        "ONNX Runtime cannot free its list of providers");
  return out;
}

// Debian builds the runtime against a shared libonnx that registers every
// operator a second time when the first model is opened, and says so in a
// thousand lines on standard error, whatever the log level. So the first model
// is this one, and those lines are dropped.
void open_first_model(const OrtApi& api, const OrtEnv* env,
                      const std::string& what) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("first");
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Identity");
  node.add_input("x");
  node.add_output("y");
  graph.add_input()->set_name("x");
  graph.add_output()->set_name("y");
  for (auto* info : {graph.mutable_input(0), graph.mutable_output(0)})
    info->mutable_type()->mutable_tensor_type()->set_elem_type(
        static_cast<int>(DType::float32));
  const std::string bytes = model.SerializeAsString();
  const auto options = make_owned(api, api.ReleaseSessionOptions, what,
                                  api.CreateSessionOptions);
  check(api, api.DisablePerSessionThreads(options.get()), what);
  filter_stderr(
      [&] {
        make_owned(api, api.ReleaseSession, what, api.CreateSessionFromArray,
                   env, bytes.data(), bytes.size(), options.get());
      },
      [](std::string_view line) {
        return line.empty() || line.starts_with("Schema error: ");
      });
}

}  // namespace

Runtime::Runtime(OrtLibrary library, const RuntimeOptions& options)
    : library_(std::move(library)) {
  if (options.threads < 0)
    throw Error(ErrorKind::usage,
                fmt::format("{} threads were asked for; give a number from 1, "
                            "or 0 for one a core.",
                            options.threads));
  const OrtApi& api = *library_.api;
  info_.library = library_.path;
  info_.found_by = library_.found_by;
  info_.version = library_.version;
  info_.api_version = library_.api_version;
  const unsigned cores = std::thread::hardware_concurrency();
  info_.threads = options.threads > 0 ? options.threads
                                      : static_cast<int>(cores > 0 ? cores : 1);

  info_.spin = options.spin;
  if (const char* build = api.GetBuildInfoString()) info_.build = build;

  const std::string what = name() + " cannot start";
  const auto threading = make_owned(api, api.ReleaseThreadingOptions, what,
                                    api.CreateThreadingOptions);
  check(api, api.SetGlobalIntraOpNumThreads(threading.get(), info_.threads),
        what);
  check(api, api.SetGlobalInterOpNumThreads(threading.get(), 1), what);
  check(api, api.SetGlobalSpinControl(threading.get(), options.spin ? 1 : 0),
        what);
  env_ =
      make_owned(api, api.ReleaseEnv, what,
                 api.CreateEnvWithCustomLoggerAndGlobalThreadPools, &drop_log,
                 nullptr, ORT_LOGGING_LEVEL_FATAL, "octavo", threading.get());
  if (library_is_loaded("libonnx.so")) open_first_model(api, env_.get(), what);
  memory_ =
      make_owned(api, api.ReleaseMemoryInfo, what, api.CreateCpuMemoryInfo,
                 OrtArenaAllocator, OrtMemTypeDefault);
  info_.providers = available_providers(api);
}

std::string Runtime::name() const { return "ONNX Runtime " + info_.version; }

std::shared_ptr<Runtime> load_runtime(const RuntimeOptions& options) {
  return std::make_shared<Runtime>(load_ort_library(options.library), options);
}

const RuntimeInfo& runtime_info(const Runtime& runtime) {
  return runtime.info();
}

}  // namespace octavo
