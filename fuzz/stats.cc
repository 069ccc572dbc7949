#include "fuzz/input.h"
#include "octavo/shards.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octavo;  // NOLINT(google-build-using-namespace)
  fuzz::expect_error_or_nothing([&] {
    CompareShard shard =
        shard_from_bytes({reinterpret_cast<const std::byte*>(data), size});
    const auto again = to_bytes(shard);
    shard_from_bytes(again);
    std::vector<CompareShard> all = {std::move(shard)};
    merge_shards(std::move(all));
  });
  return 0;
}
