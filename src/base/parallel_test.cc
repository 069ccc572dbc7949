#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace octavo {
namespace {

TEST(ParallelPieces, DoesEachPieceOnce) {
  for (const int threads : {0, 1, 2, 7}) {
    for (const size_t n : {0u, 1u, 2u, 1000u}) {
      std::vector<std::atomic<int>> done(n);
      parallel_pieces(n, threads, [&](size_t i) { ++done[i]; });
      for (size_t i = 0; i < n; ++i) EXPECT_EQ(done[i], 1);
    }
  }
}

TEST(ParallelPieces, StopsAtAnExceptionAndThrowsIt) {
  for (const int threads : {1, 4}) {
    std::atomic<int> done = 0;
    EXPECT_THROW(parallel_pieces(100000, threads,
                                 [&](size_t i) {
                                   if (i == 3) throw std::runtime_error("no");
                                   ++done;
                                 }),
                 std::runtime_error);
    EXPECT_LT(done, 100000);
  }
}

}  // namespace
}  // namespace octavo
