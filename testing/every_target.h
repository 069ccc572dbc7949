// Kernels are tested on each instruction set that this machine has.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <functional>

namespace octavo::testing {

// Runs `test` once for each.
inline void on_every_target(const std::function<void()>& test) {
  for (int64_t targets = hwy::SupportedTargets(); targets != 0;
       targets &= targets - 1) {
    const int64_t one = targets & -targets;
    SCOPED_TRACE(hwy::TargetName(one));
    hwy::SetSupportedTargetsForTest(one);
    hwy::GetChosenTarget().Update(one);
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace octavo::testing
