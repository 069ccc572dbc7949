#include "fuzz/input.h"
#include "proto/payloads.h"

// What was cut and put back is the same message: cut again, it gives the same.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octavo;  // NOLINT(google-build-using-namespace)
  fuzz::expect_error_or_nothing([&] {
    const CutModel cut = cut_payloads(fuzz::bytes_of(data, size), 16);
    const Bytes skeleton = std::as_bytes(std::span(cut.skeleton));
    const PastedModel pasted = paste_payloads(skeleton, [&](uint64_t handle) {
      return cut.payloads.at(handle).size();
    });
    std::string whole;
    size_t from = 0;
    for (const auto& gap : pasted.gaps) {
      whole += pasted.literal.substr(from, gap.literal_end - from);
      const Bytes payload = cut.payloads.at(gap.handle);
      whole.append(reinterpret_cast<const char*>(payload.data()),
                   payload.size());
      from = gap.literal_end;
    }
    whole += pasted.literal.substr(from);
    if (whole.size() != pasted.size) __builtin_trap();
    const CutModel again = cut_payloads(std::as_bytes(std::span(whole)), 16);
    if (again.payloads.size() != cut.payloads.size()) __builtin_trap();
    for (size_t i = 0; i < cut.payloads.size(); ++i)
      if (again.payloads[i].size() != cut.payloads[i].size()) __builtin_trap();
  });
  return 0;
}
