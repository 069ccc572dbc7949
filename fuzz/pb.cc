#include "fuzz/input.h"
#include "runtime/tensor_pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octavo;  // NOLINT(google-build-using-namespace)
  const fuzz::MemoryFile file(data, size);
  fuzz::expect_error_or_nothing([&] { read_tensor_pb(file.path()); });
  return 0;
}
