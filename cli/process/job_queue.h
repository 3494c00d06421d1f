// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "core/case/case.h"

namespace gradproof {

/// The needs of the work for one Case.
struct Job {
  double size = 0;      ///< the largest goes first
  double bytes = 0;     ///< memory that it takes while it is under way
  bool device = false;  ///< wants the GPU
  bool alone = false;   ///< wants nothing beside it
  bool begun = false;   ///< worker 0 was asked for it early
  /// The worker that does the job before this one does this one too, behind it: it knows the truths
  /// of their numbers.
  bool with_last = false;
};

Job job_of(const Case& c);

struct JobLimits {
  int workers = 1;
  int cores = 1;
  double bytes = 0;       ///< that jobs under way may take together
  bool in_order = false;  ///< as they were given instead of by size
  int late = 0;           ///< so many of the workers are not there before they join()
  bool libtorch = false;  ///< it is asked about every job: every worker loads it first
};

/// A job by its number, and how many threads it may take.
struct Turn {
  std::size_t job = 0;
  int threads = 1;
  bool again = false;  ///< it was put back
};

/// Hands jobs out to several workers, each job once. Safe to use from several threads.
class JobQueue {
 public:
  JobQueue(std::vector<Job> jobs, const JobLimits& limits);

  /// The first job that fits into the memory beside those under way; waits if none fits. A job that
  /// is too large for all of it runs alone, and so does one that was put back. Jobs for the GPU go
  /// to worker 0 only: a GPU is one device. So does what it was asked early, before all else.
  /// Nothing if no job is left for this worker.
  std::optional<Turn> take(int worker);
  /// Waits so long, or until no job waits for this worker any more; true if a job still waits.
  bool waits_after(std::chrono::duration<double> patience, int worker);
  /// Notes that a late worker is there, which has its share of the cores from now on.
  void join();
  /// Ends a job that was taken.
  void finish(std::size_t job);
  /// Puts a job back that was taken and not done: it waits until it can run alone.
  void put_back(std::size_t job);

  /// From now on no job behind this one starts.
  void end_behind(std::size_t job);
  /// From now on no job starts.
  void end();

  /// True if a job is under way.
  bool busy() const;

 private:
  bool is_for(int worker, std::size_t job) const;
  bool waits_for(int worker) const;
  bool fits(const Job& job, int beside, double bytes) const;
  int threads_of(std::size_t job) const;
  void leave(std::size_t job);

  std::vector<Job> jobs_;
  const JobLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> waiting_;
  std::vector<int> worker_of_;  ///< by job the last that took it, or -1
  int under_way_ = 0;
  int present_;          ///< workers that are not late
  double bytes_ = 0;     ///< of those under way
  double left_ = 0;      ///< sizes of those that are not over, together
  bool alone_ = false;   ///< the one under way wants nothing beside it
  bool device_ = false;  ///< one for the GPU is under way
};

}  // namespace gradproof
