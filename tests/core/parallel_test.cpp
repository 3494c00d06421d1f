// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <thread>

#include <gtest/gtest.h>

#include "core/work_listener.h"

namespace gradproof {
namespace {

TEST(WorkListener, IsToldOfEachPieceDoneOnItsThread) {
  int told = 0;
  int heard_inside = -1;
  {
    const WorkListener listener([&] { ++told; });
    const ThreadLimit alone(1);
    for_each_index(7, [&](std::int64_t i) {
      if (i == 6) heard_inside = told;
    });
  }
  EXPECT_EQ(told, 7);
  EXPECT_EQ(heard_inside, 6) << "each piece as it is done, not all at the end";
  for_each_index(7, [](std::int64_t) {});
  EXPECT_EQ(told, 7) << "nobody listens any more";
}

TEST(WorkListener, TheInnermostIsTold) {
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

// What a helper does is told by nobody: no listener has to stand several threads.
TEST(WorkListener, HelpersAreSilent) {
  int told = 0;
  std::int64_t own = 0;
  const auto here = std::this_thread::get_id();
  const WorkListener listener([&] { ++told; });
  const ThreadLimit four(4);
  for_each_index(1000, [&](std::int64_t) {
    if (std::this_thread::get_id() == here) ++own;
  });
  EXPECT_EQ(told, own);
}

}  // namespace
}  // namespace gradproof
