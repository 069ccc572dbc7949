// Runs a model and its INT8 copy on the same input, for tests that know what
// the answers must be.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "octavo/error.h"
#include "octavo/quantize.h"
#include "octavo/runtime.h"
#include "testing/tiny_model.h"

namespace octavo::testing {

// The runtime of this machine; null, with the reason printed, where there is
// none.
inline std::shared_ptr<Runtime> runtime_or_null() {
  static const std::shared_ptr<Runtime> runtime =
      []() -> std::shared_ptr<Runtime> {
    try {
      RuntimeOptions options;
      options.threads = 1;
      return load_runtime(options);
    } catch (const Error& e) {
      std::fprintf(stderr, "no ONNX Runtime: %s\n", e.what());
      return nullptr;
    }
  }();
  return runtime;
}

#define OCTAVO_NEED_RUNTIME()                \
  if (!::octavo::testing::runtime_or_null()) \
  GTEST_SKIP() << "needs ONNX Runtime to run the models"

// The newest opset that every runtime since the given API has: 1.21 has 21,
// 1.16 has 19 (ONNX Runtime's own table of versions).
inline int64_t newest_opset() {
  const std::string version = runtime_info(*runtime_or_null()).version;
  const int minor = std::atoi(version.c_str() + version.find('.') + 1);
  return minor >= 20 ? 21 : minor >= 18 ? 20 : 19;
}

inline Recipe all_sizes() {
  Recipe r;
  r.min_bytes = 0;
  return r;
}

struct Both {
  Plan plan;
  onnx::ModelProto model;  // the copy
  std::vector<Value> original, copy;

  std::vector<float> floats(const std::vector<Value>& from, size_t output) {
    const auto span = from.at(output).tensor.as<float>();
    return {span.begin(), span.end()};
  }
  std::vector<float> before(size_t output = 0) {
    return floats(original, output);
  }
  std::vector<float> after(size_t output = 0) { return floats(copy, output); }
  int count(const std::string& op) const { return count(model.graph(), op); }
  static int count(const onnx::GraphProto& g, const std::string& op) {
    int n = 0;
    for (const auto& node : g.node()) {
      n += node.op_type() == op;
      for (const auto& a : node.attribute())
        if (a.has_g()) n += count(a.g(), op);
    }
    return n;
  }
};

inline std::vector<Value> run_bytes(Bytes bytes, const Feed& feed,
                                    Optimization level = Optimization::all) {
  SessionOptions options;
  options.optimization = level;
  return open_session(runtime_or_null(), bytes, options)->run(feed);
}

// Quantizes and runs, with all of the runtime's optimizations and with none;
// both must agree on the copy's answers to within what fusing rounds.
inline Both run_both(const TinyModel& m, const Feed& feed,
                     const Recipe& recipe = all_sizes()) {
  Both b;
  const std::string bytes = m.bytes();
  QuantizeOptions options;
  options.recipe = recipe;
  QuantizedBytes q = quantize_bytes(as_bytes(bytes), options);
  b.plan = std::move(q.plan);
  EXPECT_TRUE(
      b.model.ParseFromArray(q.model.data(), static_cast<int>(q.model.size())));
  b.original = run_bytes(as_bytes(bytes), feed);
  b.copy = run_bytes(q.model, feed);
  const auto plain = run_bytes(q.model, feed, Optimization::disabled);
  for (size_t i = 0; i < b.copy.size(); ++i) {
    if (b.copy[i].tensor.type != DType::float32) continue;
    const auto x = b.copy[i].tensor.as<float>();
    const auto y = plain[i].tensor.as<float>();
    EXPECT_EQ(b.copy[i].tensor.shape, plain[i].tensor.shape);
    for (size_t k = 0; k < x.size() && k < y.size(); ++k) {
      if (std::isfinite(x[k]) || std::isfinite(y[k])) {
        EXPECT_NEAR(x[k], y[k], 1e-5 * (1 + std::abs(y[k])));
      }
    }
  }
  return b;
}

inline Feed feed(const std::string& name, const Shape& shape,
                 const std::vector<float>& values) {
  return {{{name, make_tensor<float>(DType::float32, shape, values)}}};
}

}  // namespace octavo::testing
