// SPDX-License-Identifier: Apache-2.0
// Launches of two calls alternate, the rest of the longer one follows, and a call that waits for
// the other one outside of its launches does not wait for ever.
#include "simt/alternation.h"

#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "simt/host.h"
#include "simt/memory/buffer.h"
#include "simt/simt.h"

namespace simt::testing {
namespace {

__global__ void append_name(std::string* log, char name) { *log += name; }

__global__ void overrun(float* x) { x[1] = 0; }

using Call = Alternation::Call;

/// Runs both functions on threads of their own.
void run_both(const std::function<void()>& first, const std::function<void()>& second) {
  Alternation turns;
  const std::jthread other([&] {
    const Alternation::Part part(turns, Call::second);
    second();
  });
  const Alternation::Part part(turns, Call::first);
  first();
}

std::function<void()> launches(std::string& log, char name, int count) {
  return [&log, name, count] {
    for (int k = 0; k < count; ++k) launch(append_name, {}, &log, name);
  };
}

TEST(SimtAlternation, LaunchesAlternateAndTheRestOfTheLongerCallFollows) {
  const auto order = [](int of_first, int of_second) {
    std::string log;
    run_both(launches(log, 'a', of_first), launches(log, 'b', of_second));
    return log;
  };
  EXPECT_EQ(order(3, 3), "ababab");
  EXPECT_EQ(order(4, 1), "abaaa");
  EXPECT_EQ(order(1, 3), "abbb");
  EXPECT_EQ(order(0, 2), "bb");
  EXPECT_EQ(order(2, 0), "aa");
}

TEST(SimtAlternation, AnExceptionOfALaunchGivesTheTurnAway) {
  std::string log;
  const auto failing = [] {
    Memory one(Backend::cpu, sizeof(float), "one");
    EXPECT_THROW(launch(overrun, {}, static_cast<float*>(one.data())), ExecutionError);
  };
  run_both(failing, launches(log, 'b', 2));
  run_both(launches(log, 'a', 2), failing);
  EXPECT_EQ(log, "bbaa");
}

TEST(SimtAlternation, ALockAroundAllLaunchesOfACallEndsTheAlternation) {
  std::string log;
  std::mutex mutex;
  const auto locked = [&](char name) {
    return [&, name] {
      const std::lock_guard lock(mutex);
      launches(log, name, 2)();
    };
  };
  run_both(locked('a'), locked('b'));
  EXPECT_EQ(log, "aabb");
}

TEST(SimtAlternation, OtherThreadsLaunchAsBefore) {
  std::string log;
  launches(log, 'c', 2)();
  EXPECT_EQ(log, "cc");
}

}  // namespace
}  // namespace simt::testing
