// Who makes and who uses each value of a model, in all its scopes: the graph
// and the bodies of If, Loop and Scan. Names are resolved as ONNX does, inner
// scopes first. An index is of one moment: edits make it stale.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/data.h"

namespace octavo {

struct Scope;

// Where a value comes from.
struct Definition {
  enum class Kind {
    input,        // fed by the caller, or by the node that owns the body
    overridable,  // an initializer that the caller may replace (IR >= 4)
    initializer,
    sparse,  // a sparse initializer
    node,    // an output of a node
  };
  Kind kind = Kind::input;
  Scope* scope = nullptr;
  std::string_view name;
  int index = 0;  // of the node, initializer or input in its list

  struct Use {
    Scope* scope = nullptr;
    int node = -1;  // -1: an output of the scope's graph
    int input = 0;
  };
  std::vector<Use> uses;  // in all scopes
};

struct Scope {
  onnx::GraphProto* graph = nullptr;
  Scope* parent = nullptr;
  std::string path;  // "" for the model's graph, then "node.attribute/..."
  std::unordered_map<std::string_view, Definition> values;

  onnx::NodeProto& node(int i) const { return *graph->mutable_node(i); }
};

class GraphIndex {
 public:
  // Throws Error(format) where a value is defined twice in one scope (of
  // initializers, the last one counts). The model must outlive the index, and
  // its strings must not move.
  explicit GraphIndex(ModelData& model);

  // In the order of a walk that enters a node's bodies right after the node.
  const std::vector<std::unique_ptr<Scope>>& scopes() const { return scopes_; }
  // What `name` means in `scope`; null for "" and for what nobody defines.
  const Definition* find(const Scope* scope, std::string_view name) const;
  // See opset_of.
  int64_t opset() const { return opset_; }
  int64_t ir_version() const { return model_.proto.ir_version(); }
  ModelData& model() const { return model_; }

  // The tensor of an initializer or of a Constant node's `value`; else null.
  onnx::TensorProto* tensor(const Definition& definition) const;

 private:
  void enter(onnx::GraphProto& graph, Scope* parent, std::string path);
  void define(Scope& scope, Definition::Kind kind, const std::string& name,
              int index);
  void add_uses(Scope& scope);

  ModelData& model_;
  int64_t opset_ = 0;
  std::vector<std::unique_ptr<Scope>> scopes_;
};

// The opset of the default domain; 0 where the model imports none. Throws
// Error(format) where it imports two.
int64_t opset_of(const onnx::ModelProto& model);

// The domain with ONNX's two names for the default one made equal.
std::string_view domain_of(const onnx::NodeProto& node);
bool is_op(const onnx::NodeProto& node, std::string_view type);

const onnx::AttributeProto* find_attribute(const onnx::NodeProto& node,
                                           std::string_view name);
int64_t int_attribute(const onnx::NodeProto& node, std::string_view name,
                      int64_t otherwise);
float float_attribute(const onnx::NodeProto& node, std::string_view name,
                      float otherwise);

// Input i, or "" where the node has fewer.
const std::string& input_name(const onnx::NodeProto& node, int i);

}  // namespace octavo
