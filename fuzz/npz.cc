#include "runtime/npz.h"

#include "fuzz/input.h"
#include "runtime/array_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octavo;  // NOLINT(google-build-using-namespace)
  const fuzz::MemoryFile file(data, size);
  fuzz::expect_error_or_nothing([&] {
    const NpzFile npz(file.path());
    for (const auto& key : npz.keys())
      fuzz::expect_error_or_nothing([&] {
        const auto source = npz.open(key);
        const NpyHeader header = read_npy_header(*source);
        // A member may claim much more than the archive has bytes.
        if (byte_size(header.type, header.shape) < (1 << 20))
          read_npy(*source, header);
      });
  });
  return 0;
}
