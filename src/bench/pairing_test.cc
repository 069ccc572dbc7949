#include "bench/pairing.h"

#include <gtest/gtest.h>

#include "testing/tiny_model.h"

namespace octavo {
namespace {

using testing::TinyModel;

struct Node {
  const char* op;
  std::vector<std::string> inputs, outputs;
  std::string name;
};

struct Graph {
  std::string bytes;
  Model model;
  explicit Graph(const std::vector<Node>& nodes)
      : bytes(make(nodes)), model(open_model(testing::as_bytes(bytes))) {}
  static std::string make(const std::vector<Node>& nodes) {
    TinyModel m;
    m.input("x", DType::float32, {1});
    for (const Node& n : nodes)
      m.node(n.op, n.inputs, n.outputs).set_name(n.name);
    m.output(nodes.back().outputs[0], DType::float32, {1});
    return m.bytes();
  }
};

// Conv -> Relu -> Conv -> Flatten.
const std::vector<Node> kOriginal = {{"Conv", {"x", "w"}, {"c"}, "c1"},
                                     {"Relu", {"c"}, {"r"}, "r1"},
                                     {"Conv", {"r", "v"}, {"d"}, "c2"},
                                     {"Flatten", {"d"}, {"y"}, "f"}};

TEST(PairKernels, PutsAFusedNodeBesideItsChain) {
  const Graph original(kOriginal);
  // The runtime's own: Conv and Relu in one, under a new name, blocked.
  const Graph runs({{"Conv", {"x", "w2"}, {"reorder"}, "r_nchwc"},
                    {"Conv", {"reorder", "v2"}, {"reorder2"}, "d_nchwc"},
                    {"ReorderOutput", {"reorder2"}, {"d"}, "out"},
                    {"Flatten", {"d"}, {"y"}, "f"}});
  const Graph copy({{"DynamicQuantizeLinear", {"x"}, {"xq", "xs", "xz"}, "q"},
                    {"ConvInteger", {"xq", "w8", "xz"}, {"p"}, "ci"},
                    {"Cast", {"p"}, {"pf"}, "cast"},
                    {"Mul", {"pf", "s"}, {"c"}, "mul"},
                    {"Relu", {"c"}, {"r"}, "r1"},
                    {"Conv", {"r", "v"}, {"d"}, "c2"},
                    {"Flatten", {"d"}, {"y"}, "f"}});
  const KernelPairing p =
      pair_kernels(original.model, {&runs.model, &copy.model});
  ASSERT_EQ(p.groups.size(), 3u);
  EXPECT_EQ(p.groups[0], (std::vector<int>{0, 1}));
  EXPECT_EQ(p.groups[1], (std::vector<int>{2}));
  EXPECT_EQ(p.groups[2], (std::vector<int>{3}));
  const std::vector<int> first = {0}, second = {1};
  EXPECT_EQ(p.models[0].at("r_nchwc"), first);
  EXPECT_EQ(p.models[0].at("d_nchwc"), second);
  EXPECT_EQ(p.models[0].at("out"), second);
  for (const char* name : {"q", "ci", "cast", "mul", "r1"})
    EXPECT_EQ(p.models[1].at(name), first) << name;
  EXPECT_EQ(p.models[1].at("c2"), second);
}

TEST(PairKernels, SharesAKernelAmongAllThatItServes) {
  const Graph original({{"MatMul", {"x", "w"}, {"a"}, "m1"},
                        {"MatMul", {"x", "v"}, {"b"}, "m2"},
                        {"Add", {"a", "b"}, {"y"}, "s"}});
  const Graph copy(
      {{"DynamicQuantizeLinear", {"x"}, {"xq", "xs", "xz"}, "q"},
       {"MatMulIntegerToFloat", {"xq", "w8", "xs"}, {"a"}, "m1_quant"},
       {"MatMulIntegerToFloat", {"xq", "v8", "xs"}, {"b"}, "m2_quant"},
       {"Add", {"a", "b"}, {"y"}, "s"}});
  const KernelPairing p =
      pair_kernels(original.model, {&original.model, &copy.model});
  ASSERT_EQ(p.groups.size(), 3u);
  EXPECT_EQ(p.models[1].at("q"), (std::vector<int>{0, 1}));
  EXPECT_EQ(p.models[1].at("m2_quant"), (std::vector<int>{1}));
}

}  // namespace
}  // namespace octavo
