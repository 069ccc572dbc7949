// Libraries do work before main, and the command answers in a few
// milliseconds. Highway's nanobenchmark, of which nothing here makes use,
// spends most of these finding out how fine the processor's clock is; the
// program's own answer takes precedence over the shared library's.
#include <hwy/nanobenchmark.h>

namespace hwy::platform {

__attribute__((visibility("default"))) uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
