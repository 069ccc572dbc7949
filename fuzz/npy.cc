#include "fuzz/input.h"
#include "runtime/array_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octavo;  // NOLINT(google-build-using-namespace)
  const fuzz::MemoryFile file(data, size);
  fuzz::expect_error_or_nothing([&] {
    const auto source = open_file_source(file.path());
    const NpyHeader header = read_npy_header(*source);
    const Tensor whole = read_npy(*source, header);
    if (header.shape.empty() || header.fortran_order || header.shape[0] == 0)
      return;
    const Tensor first = read_npy_rows(*source, header, 0, 1);
    if (first.type != whole.type) __builtin_trap();
    npy_bytes(whole);
  });
  return 0;
}
