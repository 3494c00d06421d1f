// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cli/process/job_queue.h"
#include "cli/process/workers.h"

namespace gradproof {

/// The fate of the jobs when the work on one returns.
enum class Next {
  more,   ///< they go on
  stop,   ///< those behind it are not wanted any more
  again,  ///< it was not done: once more, alone
};

/// Takes the number of jobs that are done and the last line that a worker said.
using PoolNote = std::function<void(std::size_t, const std::string&)>;

/// Several workers at once, each with a thread that asks it one job after the other. Jobs end in
/// any order; a caller that waits for them in the order of their numbers sees what one worker would
/// have shown.
class SessionPool {
 public:
  /// Asks the session on a pool's thread, once for each job, and again if the work says so.
  using Work = std::function<Next(Session&, const Turn&, const LineReader&)>;

  /// `begun`, at least one, serve as the first workers for as long as the pool lives. If the limits
  /// allow more workers, the others are like the first one.
  SessionPool(Sessions begun, Interrupt& interrupt, const std::vector<Job>& jobs,
              const JobLimits& limits, Work work);
  /// Ends the jobs under way: nobody waits for them any more.
  ~SessionPool();
  SessionPool(const SessionPool&) = delete;
  SessionPool& operator=(const SessionPool&) = delete;

  /// Waits for a job; false if it never ran, and never will. Throws what its work threw.
  bool wait(std::size_t job, const PoolNote& note);

 private:
  struct State {
    bool done = false;
    std::exception_ptr failure;
  };
  struct Attempt {
    Next next;
    std::optional<State> state;  ///< none: the job is not done
  };

  void serve(int worker);
  /// Starts the worker, because jobs still wait after as long as the first one took to start and to
  /// load what it needs. If they end sooner, its start would cost more than it saves.
  void serve_late(int worker);
  void ask_all(int worker, Session& session);
  Attempt attempt(Session& session, const Turn& turn);
  void finish(std::size_t job, const State& state);
  void say(const std::string& line);

  const Sessions begun_;
  Interrupt& interrupt_;
  Interrupt late_;  ///< of workers beside those: the user's too, and the pool's end
  const std::chrono::duration<double> patience_;  ///< before others are started
  const bool libtorch_;                           ///< each worker loads it
  JobQueue queue_;
  Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<State> states_;
  std::size_t done_ = 0;
  std::size_t said_ = 0;  ///< lines until now
  std::string line_;      ///< the last
  int serving_;
  std::vector<std::jthread> threads_;
};

}  // namespace gradproof
