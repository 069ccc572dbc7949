// What will be done with each node that holds weights, and why. `make_plan`
// decides and touches nothing; `apply_plan` does what the plan says and
// decides nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/model.h"

namespace octavo {

enum class Action {
  keep,          // stays as it is; the reason says why
  integer,       // DynamicQuantizeLinear, MatMulInteger, Cast, Mul, Mul
  dynamic_lstm,  // com.microsoft DynamicQuantizeLSTM
  gather,        // int8 table, gathered, then scaled
  storage,       // int8 weight, Cast and Mul back to float, folded at load
  conv_integer,  // DynamicQuantizeLinear, ConvInteger, Cast, Mul, Mul
  attention,     // com.microsoft QAttention
  embedding,     // com.microsoft QEmbedLayerNormalization
  blocks4,       // 4-bit weights in blocks, activations float
  blocks8,       // the same with 8 bits
};

// "keep", "MatMulInteger", "DynamicQuantizeLSTM", "int8 Gather", ...
const char* action_name(Action action) noexcept;

enum class ConvMode { storage, integer, keep };

// "storage", "integer", "keep".
const char* conv_mode_name(ConvMode mode) noexcept;

// What the weights of products (MatMul, Gemm, ...) become.
enum class WeightForm {
  dynamic,  // int8, and activations are quantized while running
  int8,     // 8-bit blocks; activations stay float
  int4,     // 4-bit blocks; activations stay float
  storage,  // int8 in the file, float once loaded
};

// How the scale of a group of weights is found.
enum class Scaling {
  range,  // from the largest magnitude, or the least and the greatest weight
  mse,    // shrunk where that makes the squared error of the group smaller
};

// "dynamic", "int8", ...; "range", "mse".
const char* weight_form_name(WeightForm form) noexcept;
const char* scaling_name(Scaling scaling) noexcept;
std::optional<WeightForm> weight_form_named(std::string_view name) noexcept;
std::optional<Scaling> scaling_named(std::string_view name) noexcept;
std::vector<std::string> weight_form_names();

// The action of that name; empty where there is none.
std::optional<Action> action_named(std::string_view name) noexcept;
std::vector<std::string> action_names();

// What one node is to become, whatever the recipe would choose.
struct Wish {
  int64_t scope_index = 0, index = 0;  // as in `Decision`
  std::string node, op;                // must be what stands there
  Action action = Action::keep;
};

// How to choose. The defaults are the recipe `safe`.
struct Recipe {
  // "safe"; or what ONNX Runtime's quantize_dynamic writes: "ort" as of 1.21 to
  // 1.30, "ort-1.32". Then min_bytes, conv, standard_ops and scopes do not
  // count.
  std::string name = "safe";
  DType weight_type = DType::int8;  // of "ort": or uint8
  bool per_channel = true;          // one weight scale per output channel
  int64_t min_bytes = 1024;         // weights below stay float
  ConvMode conv = ConvMode::storage;
  // Other than dynamic: what would be computed in integers is not.
  WeightForm weights = WeightForm::dynamic;
  Scaling scaling = Scaling::range;
  // Of the forms in blocks: weights along the summed axis that share a scale
  // (16, 32, 64, 128 or 256), a zero point of each block, and MatMulNBits' own
  // accuracy_level (0: the runtime's choice, 1: float32, 4: int8 activations).
  int64_t block = 32;
  bool asymmetric = false;
  int64_t accuracy_level = 0;
  // Only operators of ONNX's own domain: then an LSTM is stored as int8.
  bool standard_ops = false;
  // Never convert a model of opset 7 to 10 to 11. With wishes: they were made
  // for the model as it is.
  bool keep_opset = false;
  // int8 weights of integer products within [-64, 64], so that no pair of
  // products leaves int16 (see `Saturation`).
  bool reduce_range = false;
  // Initializers by globs that count as constants although they are inputs of
  // the model, too, which a caller may replace: inputs no more in the copy.
  std::vector<std::string> assume_constant;
  // Nodes by name: globs, or /regular expressions/. Empty `include`: all of
  // them; `exclude` wins. A node without a name goes by its first output.
  std::vector<std::string> include, exclude;
  std::vector<std::string> ops;     // operators by globs; empty: all
  std::vector<std::string> scopes;  // paths of bodies by globs; empty: all
  // For single nodes; they win over all of the above.
  std::vector<Wish> wishes;
};

// One node's fate.
struct Decision {
  std::string node;    // its name, may be empty
  std::string op;      // operator type
  std::string domain;  // "" for ONNX's own
  std::string scope;   // "" for the model's graph, else the path of the body
  // Scopes in the order of a walk from the root; -1: in a function, which is
  // not entered.
  int64_t scope_index = 0;
  int64_t index = 0;  // the node's place in its graph
  Action action = Action::keep;
  std::vector<int> inputs;           // which inputs are the weights
  std::vector<std::string> weights;  // their names
  int64_t bytes_before = 0;          // of the weights
  int64_t bytes_after = 0;
  // In words: why it is kept, or why a weaker action was chosen. Empty where
  // the recipe's first choice was taken.
  std::string reason;
};

struct Plan {
  Recipe recipe;
  std::vector<Decision> decisions;  // in the order of the graph
  // Nodes whose operator is a candidate, and those that will be quantized.
  int64_t candidates = 0;
  int64_t quantized = 0;
  // What the model has quantized before, by form: "MatMulInteger",
  // "MatMulNBits", "QuantizeLinear", "int8 storage", ... Empty for most.
  std::map<std::string, int64_t> already;
  // The opset from which the model will be converted to 11, and the operators
  // that get a new form by that; 0: it is not. Decisions are of the converted
  // graph.
  int64_t converted_from = 0;
  std::map<std::string, int64_t> converted;
  // In words: what was changed in the model before it was planned for.
  std::vector<std::string> prepared;
};

// Weights that turned out to hold NaN or Inf when they were read; a plan made
// with them leaves their users float.
struct Findings {
  std::vector<std::string> non_finite;
};

// Throws Error(usage) for a pattern of the recipe that matches no candidate,
// with the nearest names, and for a wish that cannot come true.
Plan make_plan(const Model& model, const Recipe& recipe = {},
               const Findings& findings = {});

// Makes the model ready and plans for what it is then: `assume_constant` comes
// true, and calls of the model's own functions are inlined where something in
// them will be quantized. Where nothing will be, the model stays as it is.
// Throws Error(usage) for a pattern that matches nothing.
Plan prepare_and_plan(Model& model, const Recipe& recipe = {},
                      const Findings& findings = {});

// The oldest ONNX Runtime (for the CPU, as tried) that has the operators of
// the plan, such as "1.23"; and which operator that is because of, or "".
struct RuntimeNeed {
  std::string version = "1.16";
  std::string because;
};
RuntimeNeed needed_runtime(const Plan& plan);

// Of the bytes of float weights that stand at the plan's nodes, the share that
// will be quantized; 0 where there are none.
double quantized_share(const Plan& plan) noexcept;

// x86 processors without VNNI add the products of two int8 weights, adjacent
// along the summed axis, and their uint8 activations (0 to 255) in int16, which
// saturates at 32767. `at_risk` of the weight's `pairs` could get there.
struct Saturation {
  std::string weight;
  uint64_t pairs = 0;
  uint64_t at_risk = 0;
};

// Rewrites the model. The new weights are lazy: made when the model is
// written, which is when `non_finite` can be asked.
class Applied {
 public:
  struct Watch;
  explicit Applied(std::vector<std::shared_ptr<const Watch>> watches);
  ~Applied();
  Applied(Applied&&) noexcept;
  Applied& operator=(Applied&&) noexcept;

  // After writing: names of weights with NaN or Inf, whose int8 form is
  // meaningless. Empty where all is well.
  std::vector<std::string> non_finite() const;
  // After writing: of each weight that integer products use as int8.
  std::vector<Saturation> saturation() const;

 private:
  std::vector<std::shared_ptr<const Watch>> watches_;
};

Applied apply_plan(Model& model, const Plan& plan);

}  // namespace octavo
