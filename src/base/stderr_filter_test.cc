#include "base/stderr_filter.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>

namespace octavo {
namespace {

bool drops_noise(std::string_view line) { return line.starts_with("noise"); }

TEST(FilterStderr, PassesAllButTheNamedLines) {
  ::testing::internal::CaptureStderr();
  std::fputs("before\n", stderr);
  filter_stderr([] { std::fputs("noise 1\n\nkept\nnoise 2\nlast", stderr); },
                drops_noise);
  std::fputs(", after\n", stderr);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "before\n\nkept\nlast, after\n");
}

TEST(FilterStderr, PutsStderrBackWhenTheWorkThrows) {
  ::testing::internal::CaptureStderr();
  EXPECT_THROW(filter_stderr(
                   [] {
                     std::fputs("noise\nwords\n", stderr);
                     throw std::runtime_error("stop");
                   },
                   drops_noise),
               std::runtime_error);
  std::fputs("after\n", stderr);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "words\nafter\n");
}

}  // namespace
}  // namespace octavo
