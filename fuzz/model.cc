#include "fuzz/input.h"
#include "octavo/inspect.h"
#include "octavo/quantize.h"

// The first byte chooses the recipe.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octavo;  // NOLINT(google-build-using-namespace)
  if (size == 0) return 0;
  const uint8_t choice = data[0];
  const Bytes bytes = fuzz::bytes_of(data + 1, size - 1);
  QuantizeOptions options;
  options.recipe.min_bytes = (choice & 1) != 0 ? 0 : 64;
  options.recipe.per_channel = (choice & 2) == 0;
  options.recipe.conv =
      (choice & 4) != 0 ? ConvMode::integer : ConvMode::storage;
  options.recipe.standard_ops = (choice & 8) != 0;
  options.recipe.reduce_range = (choice & 16) != 0;
  if ((choice & 96) == 32) options.recipe.name = "ort";
  if ((choice & 96) == 64) options.recipe.name = "ort-1.32";
  if ((choice & 96) == 96) options.recipe.assume_constant = {"*"};
  options.recipe.weight_type = (choice & 128) != 0 ? DType::uint8 : DType::int8;
  options.write.threads = 1;
  options.source_hash = false;
  fuzz::expect_error_or_nothing([&] { inspect(open_model(bytes)); });
  std::vector<std::byte> copy;
  fuzz::expect_error_or_nothing(
      [&] { copy = quantize_bytes(bytes, options).model; });
  // What is written is read again.
  if (!copy.empty()) changes(open_model(bytes), open_model(copy));
  return 0;
}
