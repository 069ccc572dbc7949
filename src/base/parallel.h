// One loop over independent pieces of work, taken in order by a few threads
// that live as long as the loop.
#pragma once

#include <cstddef>
#include <functional>

namespace octavo {

// Threads that `threads` asks for: itself, or one a core for 0.
int thread_count(int threads) noexcept;

// Calls work(i) once for each i in [0, count), at most `threads` at a time (0:
// one a core). Pieces are started in order, so the longest go first. The first
// exception ends the loop and is thrown again here.
void parallel_pieces(size_t count, int threads,
                     const std::function<void(size_t)>& work);

}  // namespace octavo
