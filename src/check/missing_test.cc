#include "check/missing.h"

#include <gtest/gtest.h>

#include "testing/both.h"

namespace octavo {
namespace {

// The words of ONNX Runtime 1.16.3 and 1.23.2, as they came.
TEST(Missing, ReadsTheRuntimesWords) {
  EXPECT_EQ(missing_in("Could not find an implementation for ConvInteger(10) "
                       "node with name 'c'"),
            "has no ConvInteger(10) for these types, which 1.24 has for int8 "
            "weights");
  EXPECT_EQ(missing_in("Could not find an implementation for Relu(13) node "
                       "with name 'r'"),
            "has no Relu(13) for these types");
  EXPECT_EQ(
      missing_in("Load model from m.onnx failed:Fatal error: "
                 "com.microsoft:DynamicQuantizeLSTM(-1) is not a registered "
                 "function/op"),
      "has no DynamicQuantizeLSTM of com.microsoft, which every release from "
      "1.16 on has: this one was built without it");
  EXPECT_EQ(missing_in("This is an invalid model. In Node, (\"l\", Foo, \"\", "
                       "-1) : (\"x\": tensor(float),) -> (\"y\": "
                       "tensor(float),) , Error No Op registered for Foo with "
                       "domain_version of 13"),
            "has no Foo");
  EXPECT_EQ(
      missing_in("ONNX Runtime only *guarantees* support for models stamped "
                 "with official released onnx opset versions. Opset 24 is "
                 "under development and support for this is limited. The "
                 "operator schemas and or other functionality may change "
                 "before next ONNX release and in this case ONNX Runtime will "
                 "not guarantee backward compatibility. Current official "
                 "support for domain ai.onnx is till opset 23."),
      "knows opsets up to 23, and the model has 24, which 1.24 knows");
  EXPECT_EQ(missing_in("Unsupported model IR version: 10, max supported IR "
                       "version: 9"),
            "knows IR versions up to 9, and the model has 10, which 1.18 "
            "knows");
}

TEST(Missing, SaysNothingOfOtherFaultsAndOddWords) {
  for (const char* words :
       {"", "Protobuf parsing failed.", "No Op registered for ",
        "Could not find an implementation for ",
        " is not a registered function/op", "Opset 24 is under development",
        "Unsupported model IR version: x, max supported IR version: 9"})
    EXPECT_NO_THROW(missing_in(words)) << words;
  EXPECT_EQ(missing_in("Protobuf parsing failed."), "");
}

// The runtime that is here, with an opset and an operator that no release has.
TEST(Missing, ReadsThisRuntimesWords) {
  OCTAVO_NEED_RUNTIME();
  const auto words_for = [](int64_t opset, const char* op) {
    testing::TinyModel m(opset);
    m.input("x", DType::float32, {1});
    m.node(op, {"x"}, {"y"});
    m.output("y", DType::float32);
    try {
      testing::run_bytes(testing::as_bytes(m.bytes()), {});
    } catch (const Error& e) {
      return missing_in(e.what());
    }
    return std::string("it loads");
  };
  EXPECT_NE(words_for(99, "Relu").find("and the model has 99"),
            std::string::npos);
  EXPECT_EQ(words_for(13, "NoSuchOperator"), "has no NoSuchOperator");
}

}  // namespace
}  // namespace octavo
