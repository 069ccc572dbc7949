// Which nodes a person wants quantized: by name and by operator.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "graph/index.h"
#include "octavo/plan.h"

namespace octavo {

class Selection {
 public:
  explicit Selection(const Recipe& recipe);

  // Why a candidate is left out; "" where it is wanted. Remembers which
  // patterns have matched.
  std::string reason_against(const Scope& scope, const onnx::NodeProto& node);
  // By a name, and by the operators that it counts as.
  std::string reason_against(const std::vector<std::string>& ops,
                             const std::string& name);

  // Throws Error(usage) for a pattern or operator that matched no candidate,
  // with the nearest names.
  void require_all_matched() const;

 private:
  struct Rule {
    NamePattern pattern;
    bool matched = false;
  };
  static std::vector<Rule> rules(const std::vector<std::string>& patterns);
  static bool any(std::vector<Rule>& rules, const std::string& name,
                  std::string* which = nullptr);

  std::vector<Rule> include_, exclude_, ops_, scopes_;
  std::vector<std::string> names_;  // of all candidates
  std::set<std::string> op_names_, scope_names_;
};

}  // namespace octavo
