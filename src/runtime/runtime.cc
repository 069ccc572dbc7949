// Loading a runtime: the library, then one environment with one thread pool
// for all sessions.
#include <fmt/format.h>

#include <thread>
#include <utility>

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
