// SPDX-License-Identifier: Apache-2.0
#include "core/cores.h"

#include <algorithm>
#include <thread>

#include <sched.h>

namespace gradproof {

int cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // The call fails where the machine has more cores than the set has room for, 1024.
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace gradproof
