// Every form that a weight can be quantized in, as small models, and weights
// for them. A weight is filled by groups that share a scale. An ordinary group
// holds 127 or -127 and smaller integers: its scale is 1, and int8 is exact.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "octavo/plan.h"
#include "testing/tiny_model.h"

namespace octavo::testing {

// A node with a weight "W" of `shape` and the input "x", or "ids" for a table.
// The group of an element is its place along `axis`.
struct Form {
  const char* op;
  bool left;              // the weight comes first
  const char* attribute;  // set to `value`, if any
  int64_t value;
  Shape shape;
  int axis;
  Shape x;  // of the other input
  Action action;
  ConvMode conv = ConvMode::storage;

  bool table() const { return action == Action::gather; }
  std::string name() const {
    return std::string(op) + (left ? ", weight first, " : ", ") + attribute +
           " " + shape_text(shape) + " becomes " + action_name(action);
  }
  void add_to(TinyModel& m) const {
    const std::string other = table() ? "ids" : "x";
    auto& node = left ? m.node(op, {"W", other}, {"y"})
                      : m.node(op, {other, "W"}, {"y"});
    if (*attribute) set_int(node, attribute, value);
  }
};

inline const std::vector<Form>& forms() {
  const auto product = Action::integer, storage = Action::storage;
  // clang-format off
  static const std::vector<Form> all = {
    // op       left  attribute       shape      axis x         action
    {"MatMul",  false, "", 0,         {6, 3},       1, {1, 6},  product},
    {"MatMul",  true,  "", 0,         {3, 6},       0, {6, 1},  product},
    {"MatMul",  false, "", 0,         {3, 6, 1},    0, {1, 6},  product},
    {"MatMul",  false, "", 0,         {6},         -1, {1, 6},  storage},
    {"Gemm",    false, "", 0,         {6, 3},       1, {1, 6},  product},
    {"Gemm",    false, "transB", 1,   {3, 6},       0, {1, 6},  product},
    {"Gemm",    true,  "", 0,         {3, 6},       0, {6, 1},  product},
    {"Gemm",    true,  "transA", 1,   {6, 3},       1, {6, 1},  product},
    {"Gather",  true,  "", 0,         {3, 6},       0, {2},     Action::gather},
    {"Gather",  true,  "axis", 1,     {6, 3},       1, {2},     Action::gather},
    {"Conv",    false, "", 0,         {3, 6, 1, 1}, 0, {1, 6, 1, 1}, storage},
    {"Conv",    false, "", 0,         {3, 6, 1, 1}, 0, {1, 6, 1, 1},
        Action::conv_integer, ConvMode::integer},
    {"Conv",    false, "group", 2,    {4, 1, 6},    0, {1, 2, 6},    storage},
    {"ConvTranspose", false, "", 0,   {6, 3, 1, 1}, 1, {1, 6, 1, 1}, storage},
  };
  // clang-format on
  return all;
}

// Elements of group g in their order: 127, then 2, -3, 4 ...
inline float ordinary(size_t g, size_t i) {
  const float sign = (g + i) % 2 == 0 ? 1 : -1;
  return sign * (i == 0 ? 127 : static_cast<float>(i + 1));
}

inline std::vector<float> fill(
    const Form& form, const std::function<float(size_t g, size_t i)>& value) {
  size_t inner = 1;
  for (size_t a = static_cast<size_t>(form.axis) + 1;
       form.axis >= 0 && a < form.shape.size(); ++a)
    inner *= static_cast<size_t>(form.shape[a]);
  const size_t groups =
      form.axis < 0
          ? 1
          : static_cast<size_t>(form.shape[static_cast<size_t>(form.axis)]);
  std::vector<float> w(static_cast<size_t>(element_count(form.shape)));
  std::vector<size_t> seen(groups, 0);
  for (size_t k = 0; k < w.size(); ++k) {
    const size_t g = k / inner % groups;
    w[k] = value(g, seen[g]++);
  }
  return w;
}

}  // namespace octavo::testing
