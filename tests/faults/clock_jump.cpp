// SPDX-License-Identifier: Apache-2.0
// To be preloaded: as soon as the file CLOCK_JUMP_FILE is there, the clock of the day is
// CLOCK_JUMP_SECONDS off. Clocks that only measure are not touched, as when an administrator sets
// the time.
#include <cstdlib>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  const char* file = std::getenv("CLOCK_JUMP_FILE");
  const char* seconds = std::getenv("CLOCK_JUMP_SECONDS");
  const bool jumps = clock == CLOCK_REALTIME && file != nullptr && seconds != nullptr;
  if (result == 0 && jumps && access(file, F_OK) == 0) time->tv_sec += std::atol(seconds);
  return result;
}
