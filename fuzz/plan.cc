#include "fuzz/input.h"
#include "report/plan_json.h"
#include "testing/tiny_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octavo;  // NOLINT(google-build-using-namespace)
  static const std::string bytes = [] {
    testing::TinyModel m;
    testing::add_m0(m);
    return m.bytes();
  }();
  static const Model model = open_model(testing::as_bytes(bytes));
  fuzz::expect_error_or_nothing([&] {
    const ReadPlan plan =
        read_plan({reinterpret_cast<const char*>(data), size});
    make_plan(model, plan.recipe);
  });
  return 0;
}
