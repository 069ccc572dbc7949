// ONNX Runtime's C API with C++ manners: objects that free themselves, and
// statuses that become Error(runtime). Private to this floor. Only functions
// of API version 15 or older are called here (the newest is
// GetResizedStringTensorElementBuffer), so every library that gives kMinApi
// serves.
#pragma once

#ifndef ORT_API_MANUAL_INIT
#define ORT_API_MANUAL_INIT
#endif
#include <onnxruntime_c_api.h>

#include <memory>
#include <string>
#include <utility>

#include "octavo/error.h"

namespace octavo {

// The version asked for, and the oldest one that is accepted: 16 knows 8-bit
// floats and the operators that quantized models use.
inline constexpr int kWantedApi = 18;
inline constexpr int kMinApi = 16;

template <typename T>
struct OrtRelease {
  void(ORT_API_CALL* release)(T*) = nullptr;
  void operator()(T* p) const noexcept { release(p); }
};
template <typename T>
using OrtOwned = std::unique_ptr<T, OrtRelease<T>>;

// The words of a failed status as one line without a full stop at its end;
// frees the status.
std::string take_message(const OrtApi& api, OrtStatus* status);

// Throws Error(runtime) "<what>: <the runtime's words>." for a failed status.
void check(const OrtApi& api, OrtStatus* status, const std::string& what);

// Calls a function of the API whose last argument is where the new object
// goes, and takes it over.
template <typename T, typename Function, typename... Args>
OrtOwned<T> make_owned(const OrtApi& api, void(ORT_API_CALL* release)(T*),
                       const std::string& what, Function function,
                       Args&&... args) {
  T* made = nullptr;
  check(api, function(std::forward<Args>(args)..., &made), what);
  return OrtOwned<T>(made, OrtRelease<T>{release});
}

}  // namespace octavo
