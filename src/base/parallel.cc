#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>
#include <vector>

namespace octavo {

int thread_count(int threads) noexcept {
  if (threads > 0) return threads;
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void parallel_pieces(size_t count, int threads,
                     const std::function<void(size_t)>& work) {
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
  const size_t workers =
      std::min(count, static_cast<size_t>(thread_count(threads)));
  std::vector<std::future<void>> others;
  for (size_t w = 1; w < workers; ++w)
    others.push_back(std::async(std::launch::async, take));
  take();
  for (auto& other : others) other.get();
}

}  // namespace octavo
