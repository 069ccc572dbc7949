#include "base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>

namespace octavo {

int thread_count(int threads) noexcept {
  return threads > 0 ? threads : tbb::this_task_arena::max_concurrency();
}

void parallel_pieces(size_t count, int threads,
                     const std::function<void(size_t)>& work) {
  const size_t workers =
      std::min(count, static_cast<size_t>(thread_count(threads)));
  if (workers <= 1) {
    for (size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<size_t> next{0};
  const auto take = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) {
      try {
        work(i);
      } catch (...) {
        next.store(count);
        throw;
      }
    }
  };
  // Without this TBB warns on stderr of more threads than cores.
  const tbb::global_control limit(
      tbb::global_control::max_allowed_parallelism, workers);
  tbb::task_arena arena(static_cast<int>(workers));
  arena.execute([&] {
    tbb::task_group group;
    for (size_t w = 1; w < workers; ++w) group.run(take);
    group.run_and_wait(take);
  });
}

}  // namespace octavo
