// What a loaded runtime holds. Private to this floor.
#pragma once

#include "octavo/runtime.h"
#include "runtime/ort_library.h"

namespace octavo {

class Runtime {
 public:
  Runtime(OrtLibrary library, const RuntimeOptions& options);

  const OrtApi& api() const { return *library_.api; }
  const OrtEnv* env() const { return env_.get(); }
  const OrtMemoryInfo* cpu_memory() const { return memory_.get(); }
  const RuntimeInfo& info() const { return info_; }
  // "ONNX Runtime 1.30.0"
  std::string name() const;

 private:
  OrtLibrary library_;
  RuntimeInfo info_;
  OrtOwned<OrtEnv> env_;
  OrtOwned<OrtMemoryInfo> memory_;
};

}  // namespace octavo
