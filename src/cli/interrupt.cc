#include "cli/interrupt.h"

#include <signal.h>

namespace octavo::cli {
namespace {

// A signal handler reaches nothing but globals.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) { interrupted = true; }

}  // namespace

const std::atomic<bool>& catch_interrupt() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  // The default action comes back for the second one.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  return interrupted;
}

}  // namespace octavo::cli
