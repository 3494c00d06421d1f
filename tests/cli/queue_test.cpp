// SPDX-License-Identifier: Apache-2.0
// The queue decides which of several workers does which Case, and when.
#include <chrono>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "cli/process/job_queue.h"
#include "core/parallel.h"

namespace gradproof {
namespace {

constexpr double kPlenty = std::numeric_limits<double>::infinity();

/// Job numbers in the order in which worker 0 takes them, each over before the next.
std::vector<std::size_t> order_of(const std::vector<Job>& jobs, JobLimits limits) {
  JobQueue queue(jobs, limits);
  std::vector<std::size_t> order;
  while (const auto turn = queue.take(0)) {
    order.push_back(turn->job);
    queue.finish(turn->job);
  }
  return order;
}

using Order = std::vector<std::size_t>;

TEST(JobQueue, TheLargestGoesFirst) {
  const std::vector<Job> jobs{{1, 0}, {7, 0}, {3, 0}, {7, 0}};
  EXPECT_EQ(order_of(jobs, {2, 2, kPlenty}), (Order{1, 3, 2, 0}));
  EXPECT_EQ(order_of(jobs, {2, 2, kPlenty, true}), (Order{0, 1, 2, 3}));
}

TEST(JobQueue, TheDevicesJobsAreWorker0s) {
  JobQueue queue({{9, 0}, {1, 0, true}, {2, 0, true}}, {2, 2, kPlenty});
  EXPECT_EQ(queue.take(1)->job, 0u);
  EXPECT_FALSE(queue.take(1)) << "both that are left are the device's";
  EXPECT_EQ(queue.take(0)->job, 2u);
  EXPECT_EQ(queue.take(0)->job, 1u);
}

TEST(JobQueue, WhatWorker0WasAskedEarlyIsItsFirst) {
  Job begun{1, 0};
  begun.begun = true;
  JobQueue queue({{9, 0}, {5, 0}, begun}, {2, 2, kPlenty});
  EXPECT_EQ(queue.take(1)->job, 0u);
  EXPECT_EQ(queue.take(0)->job, 2u);
  EXPECT_EQ(queue.take(1)->job, 1u);
}

Job behind_the_last(double size) {
  Job job{size, 0};
  job.with_last = true;
  return job;
}

TEST(JobQueue, WhatGoesWithTheLastIsItsWorkersAndComesBehindIt) {
  JobQueue queue({{5, 0}, behind_the_last(5), behind_the_last(5), {9, 0}, {1, 0}}, {2, 2, kPlenty});
  EXPECT_EQ(queue.take(0)->job, 3u);
  EXPECT_EQ(queue.take(1)->job, 0u);
  queue.finish(3);
  EXPECT_EQ(queue.take(0)->job, 4u) << "the two are the other's, whoever has time";
  queue.finish(4);
  EXPECT_FALSE(queue.take(0));
  for (const std::size_t job : {1u, 2u}) {
    queue.finish(job - 1);
    EXPECT_EQ(queue.take(1)->job, job);
  }
  queue.finish(2);
  EXPECT_FALSE(queue.take(1));
}

TEST(JobQueue, WhatGoesWithTheLastLeavesItTheCores) {
  JobQueue alone({{5, 0}, behind_the_last(5)}, {2, 2, kPlenty});
  EXPECT_EQ(alone.take(0)->threads, 2);
  JobQueue beside({{5, 0}, {5, 0}}, {2, 2, kPlenty});
  EXPECT_EQ(beside.take(0)->threads, 1);
}

TEST(JobQueue, WhatGoesWithTheLastFollowsItToAnotherWorker) {
  JobQueue queue({{5, 0}, behind_the_last(5)}, {2, 2, kPlenty});
  EXPECT_EQ(queue.take(0)->job, 0u);
  queue.put_back(0);
  EXPECT_EQ(queue.take(1)->job, 0u);
  queue.finish(0);
  EXPECT_FALSE(queue.take(0));
  EXPECT_EQ(queue.take(1)->job, 1u);
}

TEST(JobQueue, WhatDoesNotFitWaits) {
  JobQueue queue({{9, 60}, {8, 50}, {7, 40}}, {3, 3, 100});
  EXPECT_EQ(queue.take(0)->job, 0u);
  EXPECT_EQ(queue.take(1)->job, 2u) << "the second does not fit beside the first";
  std::optional<Turn> last;
  std::jthread waiting([&] { last = queue.take(2); });
  queue.finish(2);
  queue.finish(0);
  waiting.join();
  EXPECT_EQ(last->job, 1u);
  // Alone everything fits.
  EXPECT_EQ(order_of({{1, 500}, {2, 600}}, {2, 2, 100}), (Order{1, 0}));
}

TEST(JobQueue, WhatIsPutBackRunsAlone) {
  JobQueue queue({{9, 60}, {8, 10}, {7, 10}}, {3, 3, kPlenty});
  EXPECT_FALSE(queue.take(0)->again);
  EXPECT_EQ(queue.take(1)->job, 1u);
  queue.put_back(0);
  EXPECT_EQ(queue.take(0)->job, 2u) << "beside what is under way it does not fit";
  queue.finish(1);
  std::optional<Turn> alone;
  std::jthread waiting([&] { alone = queue.take(1); });
  queue.finish(2);
  waiting.join();
  EXPECT_EQ(alone->job, 0u);
  EXPECT_TRUE(alone->again);
  EXPECT_EQ(alone->threads, 3);
  queue.finish(0);
  EXPECT_FALSE(queue.take(0));
}

TEST(JobQueue, NothingRunsBesideWhatWasPutBack) {
  JobQueue queue({{9, 0}, {8, 0}}, {2, 2, kPlenty});
  EXPECT_EQ(queue.take(0)->threads, 1) << "the control: another can start at once";
  queue.put_back(0);
  const std::optional<Turn> alone = queue.take(0);
  EXPECT_EQ(alone->job, 0u);
  EXPECT_EQ(alone->threads, 2);
}

TEST(JobQueue, CoresAreShared) {
  JobQueue queue({{9, 0}, {8, 0}, {7, 0}}, {2, 8, kPlenty});
  EXPECT_EQ(queue.take(0)->threads, 4) << "another can start at once";
  EXPECT_EQ(queue.take(1)->threads, 4);
  queue.finish(0);
  queue.finish(1);
  EXPECT_EQ(queue.take(0)->threads, 8) << "the last has all";
  JobQueue many({{9, 0}, {8, 0}, {7, 0}}, {3, 2, kPlenty});
  EXPECT_EQ(many.take(0)->threads, 1) << "never none";
  JobQueue large({{9, 60}, {8, 60}}, {2, 2, 100});
  EXPECT_EQ(large.take(0)->threads, 2) << "the other does not fit beside it";
}

TEST(JobQueue, AWorkerThatIsLateStartsWhereJobsStillWait) {
  constexpr std::chrono::milliseconds kSoon{1};
  constexpr std::chrono::hours kNever{1};
  const std::vector<Job> jobs{{9, 0}, {8, 0}, {7, 0}};
  JobQueue queue(jobs, {2, 8, kPlenty, false, 1});
  EXPECT_EQ(queue.take(0)->threads, 8) << "the other is not there";
  EXPECT_TRUE(queue.waits_after(kSoon, 1));
  queue.join();
  EXPECT_EQ(queue.take(1)->threads, 4);
  bool waits = true;
  std::jthread late([&] { waits = queue.waits_after(kNever, 2); });
  EXPECT_EQ(queue.take(0)->job, 2u);
  late.join();
  EXPECT_FALSE(waits) << "it does not wait for what is under way";
  JobQueue ended(jobs, {2, 8, kPlenty, false, 1});
  std::jthread ending([&] { ended.end(); });
  EXPECT_FALSE(ended.waits_after(kNever, 1));
  JobQueue device({{9, 0, true}}, {2, 8, kPlenty, false, 1});
  EXPECT_FALSE(device.waits_after(kNever, 1)) << "that is worker 0's";
}

TEST(JobQueue, OneBesideWhichTheOthersAreSmallHasAllCores) {
  JobQueue queue({{1, 0}, {9, 0}, {3, 0}}, {2, 2, kPlenty});
  const std::optional<Turn> large = queue.take(0);
  EXPECT_EQ(large->job, 1u);
  EXPECT_EQ(large->threads, 2);
  EXPECT_EQ(queue.take(1)->threads, 1) << "a small one has its share";
  JobQueue half({{1, 0}, {9, 0}, {4, 0}}, {2, 2, kPlenty});
  EXPECT_EQ(half.take(0)->threads, 1) << "the control: the others take as long as half of it";
}

TEST(JobQueue, TheDevicesJobsShareTheCoresWithTheOthersOnly) {
  JobQueue alone({{3, 0, true}, {2, 0, true}, {1, 0, true}}, {4, 8, kPlenty});
  EXPECT_EQ(alone.take(0)->threads, 8) << "the next runs only when this one is over";
  alone.finish(0);
  EXPECT_EQ(alone.take(0)->threads, 8);
  JobQueue beside({{3, 0, true}, {2, 0, true}, {1, 0}}, {4, 8, kPlenty});
  EXPECT_EQ(beside.take(0)->threads, 4);
  EXPECT_EQ(beside.take(1)->threads, 4) << "one for the device is under way";
}

TEST(JobQueue, EndsBehindAJobOrAltogether) {
  JobQueue queue({{1, 0}, {2, 0}, {3, 0}, {4, 0}}, {2, 2, kPlenty, true});
  EXPECT_EQ(queue.take(0)->job, 0u);
  queue.end_behind(1);
  EXPECT_EQ(queue.take(1)->job, 1u);
  EXPECT_FALSE(queue.take(1));
  EXPECT_TRUE(queue.busy());
  queue.finish(0);
  queue.finish(1);
  EXPECT_FALSE(queue.busy());
  JobQueue other({{1, 0}}, {1, 1, kPlenty});
  other.end();
  EXPECT_FALSE(other.take(0));
}

/// The threads that 64 pieces of work met, each so long that several threads come to it.
std::size_t threads_met() {
  std::mutex mutex;
  std::set<std::thread::id> met;
  for_each_index(64, [&](std::int64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex);
    met.insert(std::this_thread::get_id());
  });
  return met.size();
}

TEST(ThreadLimit, HoldsForTheThreadThatSetItAndItsHelpers) {
  const int cores = thread_limit();
  {
    const ThreadLimit three(3);
    EXPECT_LE(threads_met(), 3u);
    EXPECT_GT(threads_met(), 1u) << "the control of the test below";
    std::mutex mutex;
    std::set<int> limits;
    for_each_index(16, [&](std::int64_t) {
      const std::lock_guard lock(mutex);
      limits.insert(thread_limit());
    });
    EXPECT_EQ(limits, std::set<int>{3});
    {
      const ThreadLimit one(1);
      EXPECT_EQ(threads_met(), 1u);
    }
    EXPECT_EQ(thread_limit(), 3);
    int beside = 0;
    std::jthread([&] { beside = thread_limit(); }).join();
    EXPECT_EQ(beside, cores);
  }
  EXPECT_EQ(thread_limit(), cores);
}

}  // namespace
}  // namespace gradproof
