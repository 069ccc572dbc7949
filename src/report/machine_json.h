// The processor and the runtime as all documents describe them.
#pragma once

#include "base/cpu.h"
#include "octavo/runtime.h"
#include "report/json.h"

namespace octavo {

Json cpu_json(const CpuInfo& cpu);
Json runtime_json(const RuntimeInfo& info);

}  // namespace octavo
