// SPDX-License-Identifier: Apache-2.0
#include "cli/process/session_pool.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace gradproof {
namespace {

/// Lets a worker load LibTorch. If it does not, its first job says why.
void load_libtorch(Session& session) {
  try {
    session.ask(LoadRequest{});
  } catch (const InstrumentError&) {
  }
}

/// The time that the first worker took until its first job could begin.
std::chrono::duration<double> made_ready(Session& first, bool libtorch) {
  const auto start = std::chrono::steady_clock::now();
  if (libtorch) load_libtorch(first);
  return first.seconds_to_start() + (std::chrono::steady_clock::now() - start);
}

/// The limits, by which all workers but those that were begun are late.
JobLimits started_alone(JobLimits limits, std::size_t begun) {
  limits.late = std::max(0, limits.workers - static_cast<int>(begun));
  return limits;
}

}  // namespace

SessionPool::SessionPool(Sessions begun, Interrupt& interrupt, const std::vector<Job>& jobs,
                         const JobLimits& limits, Work work)
    : begun_(std::move(begun)),
      interrupt_(interrupt),
      patience_(made_ready(*begun_.front(), limits.libtorch)),
      libtorch_(limits.libtorch),
      queue_(jobs, started_alone(limits, begun_.size())),
      work_(std::move(work)),
      states_(jobs.size()),
      serving_(limits.workers) {
  for (int worker = 0; worker < limits.workers; ++worker)
    threads_.emplace_back([this, worker] { serve(worker); });
}

SessionPool::~SessionPool() {
  queue_.end();
  if (queue_.busy()) interrupt_.raise();
  late_.raise();
  threads_.clear();
}

void SessionPool::serve(int worker) {
  if (std::cmp_less(worker, begun_.size()))
    ask_all(worker, *begun_[static_cast<std::size_t>(worker)]);
  else if (queue_.waits_after(patience_, worker))
    serve_late(worker);
  const std::lock_guard lock(mutex_);
  --serving_;
  changed_.notify_all();
}

void SessionPool::serve_late(int worker) {
  // The session ends its process before the thread ends, for a process dies with its thread.
  const Session& first = *begun_.front();
  Session own(first.program(), first.deadline_seconds(), late_);
  try {
    own.hello();  // before it takes a job, which those that are there may do sooner than it starts
    if (libtorch_) load_libtorch(own);
  } catch (const std::exception&) {
    // Its first job says why it cannot start, and there is none where nobody waits for it any more.
  }
  queue_.join();
  ask_all(worker, own);
}

void SessionPool::ask_all(int worker, Session& session) {
  while (const auto turn = queue_.take(worker)) {
    const Attempt attempt =
        interrupt_.raised() ? Attempt{Next::stop, std::nullopt} : this->attempt(session, *turn);
    if (attempt.next == Next::stop) queue_.end_behind(turn->job);
    attempt.next == Next::again ? queue_.put_back(turn->job) : queue_.finish(turn->job);
    // This is last: a caller that waits for the last job may end the pool, which must then be idle.
    if (attempt.state) finish(turn->job, *attempt.state);
    if (interrupt_.raised()) queue_.end();
  }
}

SessionPool::Attempt SessionPool::attempt(Session& session, const Turn& turn) {
  Next next = Next::stop;
  State state{true, nullptr};
  try {
    next = work_(session, turn, [this](const std::string& line) { say(line); });
  } catch (...) {
    state.failure = std::current_exception();
  }
  // A worker that was interrupted before it said hello has not failed.
  if (state.failure && interrupt_.raised()) return {Next::stop, std::nullopt};
  if (next == Next::again) return {next, std::nullopt};
  return {next, state};
}

void SessionPool::finish(std::size_t job, const State& state) {
  const std::lock_guard lock(mutex_);
  states_[job] = state;
  ++done_;
  changed_.notify_all();
}

void SessionPool::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  line_ = line;
  ++said_;
  changed_.notify_all();
}

bool SessionPool::wait(std::size_t job, const PoolNote& note) {
  std::unique_lock lock(mutex_);
  std::size_t shown = said_;
  while (!states_[job].done && serving_ > 0) {
    changed_.wait(lock);
    if (shown == said_) continue;
    shown = said_;
    const std::string line = line_;
    const std::size_t done = done_;
    lock.unlock();
    note(done, line);
    lock.lock();
  }
  if (states_[job].failure) std::rethrow_exception(states_[job].failure);
  return states_[job].done;
}

}  // namespace gradproof
