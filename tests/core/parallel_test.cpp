// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <thread>

#include <gtest/gtest.h>

#include "core/work_listener.h"

namespace gradproof {
namespace {

TEST(WorkListener, IsCalledAfterEachPieceDoneOnItsThread) {
  int calls = 0;
  int calls_inside = -1;
  {
    const WorkListener listener([&] { ++calls; });
    const ThreadLimit alone(1);
    for_each_index(7, [&](std::int64_t i) {
      if (i == 6) calls_inside = calls;
    });
  }
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(calls_inside, 6) << "each piece as it is done, not all at the end";
  for_each_index(7, [](std::int64_t) {});
  EXPECT_EQ(calls, 7) << "nobody listens any more";
}

TEST(WorkListener, TheInnermostIsCalled) {
  int outer = 0;
  int inner = 0;
  const WorkListener first([&] { ++outer; });
  const ThreadLimit alone(1);
  {
    const WorkListener second([&] { ++inner; });
    for_each_index(3, [](std::int64_t) {});
  }
  for_each_index(2, [](std::int64_t) {});
  EXPECT_EQ(inner, 3);
  EXPECT_EQ(outer, 2);
}

// The work of a helper calls no listener: none has to be safe from several threads.
TEST(WorkListener, HelpersAreSilent) {
  int calls = 0;
  std::int64_t own = 0;
  const auto here = std::this_thread::get_id();
  const WorkListener listener([&] { ++calls; });
  const ThreadLimit four(4);
  for_each_index(1000, [&](std::int64_t) {
    if (std::this_thread::get_id() == here) ++own;
  });
  EXPECT_EQ(calls, own);
}

}  // namespace
}  // namespace gradproof
