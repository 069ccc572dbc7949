#include "quant/selection.h"

#include <fmt/format.h>

#include "base/names.h"
#include "octavo/error.h"

namespace octavo {

std::vector<Selection::Rule> Selection::rules(
    const std::vector<std::string>& patterns) {
  std::vector<Rule> out;
  for (const auto& p : patterns) out.push_back({NamePattern(p)});
  return out;
}

Selection::Selection(const Recipe& recipe)
    : include_(rules(recipe.include)),
      exclude_(rules(recipe.exclude)),
      ops_(rules(recipe.ops)),
      scopes_(rules(recipe.scopes)) {}

// Asks all of them, so that each that matches is known to.
bool Selection::any(std::vector<Rule>& rules, const std::string& name,
                    std::string* which) {
  bool found = false;
  for (Rule& rule : rules) {
    if (!rule.pattern.matches(name)) continue;
    if (which && !found) *which = rule.pattern.text();
    rule.matched = found = true;
  }
  return found;
}

std::string Selection::reason_against(const Scope& scope,
                                      const onnx::NodeProto& node) {
  scope_names_.insert(scope.path);
  const bool wanted_scope = any(scopes_, scope.path) || scopes_.empty();
  // A node without a name goes by its first output.
  const std::string reason = reason_against(
      {node.op_type()}, !node.name().empty() || node.output_size() == 0
                            ? node.name()
                            : node.output(0));
  if (reason.empty() && !wanted_scope) return "its graph is not among --scope";
  return reason;
}

std::string Selection::reason_against(const std::vector<std::string>& ops,
                                      const std::string& name) {
  names_.push_back(name);
  std::string which;
  const bool wanted = any(include_, name) || include_.empty();
  bool wanted_op = ops_.empty();
  for (const auto& op : ops) {
    op_names_.insert(op);
    wanted_op |= any(ops_, op);
  }
  if (any(exclude_, name, &which))
    return fmt::format("--exclude '{}' was asked for", which);
  if (!wanted_op) return "its operator is not among --ops";
  if (!wanted) return "its name is not among --include";
  return "";
}

void Selection::require_all_matched() const {
  const auto require = [](const std::vector<Rule>& rules, const char* flag,
                          const char* what,
                          const std::vector<std::string>& names) {
    for (const Rule& rule : rules) {
      if (rule.matched) continue;
      const std::string hint = did_you_mean(rule.pattern.text(), names);
      throw Error(ErrorKind::usage,
                  fmt::format("{} '{}' matches no {} of this model that could "
                              "be quantized{}",
                              flag, rule.pattern.text(), what,
                              hint.empty() ? "; --dry-run --verbose lists them."
                                           : "; " + hint));
    }
  };
  require(include_, "--include", "node", names_);
  require(exclude_, "--exclude", "node", names_);
  require(ops_, "--ops", "operator", {op_names_.begin(), op_names_.end()});
  require(scopes_, "--scope", "body",
          {scope_names_.begin(), scope_names_.end()});
}

}  // namespace octavo
