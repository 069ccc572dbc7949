// Ctrl-C as a flag, so that a long measurement can end with what it has. A
// second Ctrl-C ends the program at once.
#pragma once

#include <atomic>

namespace octavo::cli {

// Exit code of an interrupted command.
inline constexpr int kInterrupted = 130;

// Thrown out of work that leaves nothing of worth when it ends early.
struct Interrupted {};

// From now on the first SIGINT sets this flag.
const std::atomic<bool>& catch_interrupt();

}  // namespace octavo::cli
