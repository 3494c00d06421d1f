// SPDX-License-Identifier: Apache-2.0
// A process has the cores that its operating system leaves it.
#include "core/cores.h"

#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

#include "core/parallel.h"

namespace gradproof {
namespace {

TEST(Cores, AreThoseThatTheProcessMayRunOn) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(cores(), CPU_COUNT(&before));
  // The set is the thread's: the test's other threads keep theirs.
  std::thread([&] {
    int first = 0;
    while (CPU_ISSET(first, &before) == 0) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(cores(), 1);
    EXPECT_EQ(thread_limit(), 1);
  }).join();
}

}  // namespace
}  // namespace gradproof
