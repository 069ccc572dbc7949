#include "bench/profile.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "octavo/error.h"

namespace octavo {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kKernel = "_kernel_time";

double ns_of(const Json& event) { return event.value("dur", 0.0) * 1000; }

// "16" in the runtime's files; a number would do as well.
std::string index_of(const Json& arguments) {
  const auto found = arguments.find("node_index");
  return found == arguments.end() ? "" : found->dump();
}

}  // namespace

Profile read_profile(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in)
    throw Error(ErrorKind::io, fmt::format("the runtime's profile '{}' cannot "
                                           "be read.",
                                           file.string()));
  Profile out;
  try {
    const Json events = Json::parse(in);
    std::map<std::tuple<std::string, std::string, std::string>, size_t> known;
    // The nodes of a run stand before the run itself.
    std::map<size_t, double> run;
    for (const Json& event : events) {
      std::string name = event.value("name", "");
      const std::string category = event.value("cat", "");
      if (category == "Session" && name == "model_run") {
        for (const auto& [kernel, ns] : run) {
          std::vector<double>& times = out.kernels[kernel].ns;
          times.resize(out.run_ns.size());
          times.push_back(ns);
        }
        out.run_ns.push_back(ns_of(event));
        run.clear();
      }
      if (category != "Node" || !name.ends_with(kKernel)) continue;
      name.resize(name.size() - kKernel.size());
      const Json& arguments = event.at("args");
      const std::string op = arguments.value("op_name", "");
      const auto [at, fresh] = known.try_emplace(
          {name, op, index_of(arguments)}, out.kernels.size());
      if (fresh)
        out.kernels.push_back({name, op, arguments.value("provider", ""), {}});
      run[at->second] += ns_of(event);
    }
  } catch (const Json::exception& e) {
    throw Error(ErrorKind::format,
                fmt::format("the runtime's profile '{}' is not what was "
                            "expected: {}.",
                            file.string(), e.what()));
  }
  for (KernelTimes& k : out.kernels) k.ns.resize(out.run_ns.size());
  return out;
}

}  // namespace octavo
