#include "report/machine_json.h"

namespace octavo {

Json cpu_json(const CpuInfo& cpu) {
  Json flags = Json::object();
  for (const auto& [name, has] : cpu_features(cpu)) flags[name] = has;
  return {{"model", cpu.model},
          {"architecture", cpu.architecture},
          {"logical_cores", cpu.logical_cores},
          {"physical_cores", cpu.physical_cores},
          {"features", flags}};
}

Json runtime_json(const RuntimeInfo& info) {
  return {{"library", info.library.string()}, {"found_by", info.found_by},
          {"version", info.version},          {"api_version", info.api_version},
          {"threads", info.threads},          {"providers", info.providers}};
}

}  // namespace octavo
