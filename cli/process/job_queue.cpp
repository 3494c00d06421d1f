// SPDX-License-Identifier: Apache-2.0
#include "cli/process/job_queue.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace gradproof {

Job job_of(const Case& c) {
  return {elements_of(c), memory_estimate(c), c.schema().has("device") && c.is("device", "cuda")};
}

JobQueue::JobQueue(std::vector<Job> jobs, const JobLimits& limits)
    : jobs_(std::move(jobs)),
      limits_(limits),
      waiting_(jobs_.size()),
      worker_of_(jobs_.size(), -1),
      present_(limits.workers - limits.late) {
  std::iota(waiting_.begin(), waiting_.end(), std::size_t{0});
  for (Job& job : jobs_) {
    if (job.with_last) job.size = 0;
    left_ += job.size;
  }
  if (limits_.in_order) return;
  // A large job that came last would leave the other workers idle.
  std::stable_sort(waiting_.begin(), waiting_.end(), [this](std::size_t a, std::size_t b) {
    if (jobs_[a].begun != jobs_[b].begun) return jobs_[a].begun;
    if (jobs_[a].with_last != jobs_[b].with_last) return jobs_[a].with_last;
    if (jobs_[a].device != jobs_[b].device) return jobs_[a].device;
    return jobs_[a].size > jobs_[b].size;
  });
}

bool JobQueue::fits(const Job& job, int beside, double bytes) const {
  return beside == 0 || (!alone_ && !job.alone && bytes + job.bytes <= limits_.bytes);
}

/// The cores, shared among those under way and those that can join them at once. All of them for
/// one that takes longer with all than everything else with one: it would be left alone with its
/// share.
int JobQueue::threads_of(std::size_t taken) const {
  const double others = left_ - jobs_[taken].size;
  if (others * limits_.cores <= jobs_[taken].size) return limits_.cores;
  int together = under_way_;
  double bytes = bytes_;
  bool device = device_;  // one worker asks the GPU, so its jobs never run beside each other
  for (const std::size_t job : waiting_) {
    if (together >= present_) break;
    if (!fits(jobs_[job], together, bytes) || (jobs_[job].device && device)) continue;
    if (jobs_[job].with_last) continue;
    device = device || jobs_[job].device;
    ++together;
    bytes += jobs_[job].bytes;
  }
  return std::max(1, limits_.cores / std::max(1, together));
}

bool JobQueue::is_for(int worker, std::size_t job) const {
  if (jobs_[job].with_last && worker_of_[job - 1] != worker) return false;
  return worker == 0 || !(jobs_[job].device || jobs_[job].begun);
}

bool JobQueue::waits_for(int worker) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&](std::size_t job) { return is_for(worker, job); });
}

bool JobQueue::waits_after(std::chrono::duration<double> patience, int worker) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, patience, [&] { return !waits_for(worker); });
}

void JobQueue::join() {
  const std::lock_guard lock(mutex_);
  ++present_;
}

std::optional<Turn> JobQueue::take(int worker) {
  std::unique_lock lock(mutex_);
  while (waits_for(worker)) {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](std::size_t job) {
      return is_for(worker, job) && fits(jobs_[job], under_way_, bytes_);
    });
    if (found == waiting_.end()) {
      changed_.wait(lock);
      continue;
    }
    const std::size_t job = *found;
    waiting_.erase(found);
    worker_of_[job] = worker;
    if (waiting_.empty()) changed_.notify_all();
    ++under_way_;
    bytes_ += jobs_[job].bytes;
    alone_ = jobs_[job].alone;
    device_ = device_ || jobs_[job].device;
    return Turn{job, threads_of(job), jobs_[job].alone};
  }
  return std::nullopt;
}

void JobQueue::leave(std::size_t job) {
  --under_way_;
  bytes_ -= jobs_[job].bytes;
  alone_ = false;
  device_ = device_ && !jobs_[job].device;
  changed_.notify_all();
}

void JobQueue::finish(std::size_t job) {
  const std::lock_guard lock(mutex_);
  left_ -= jobs_[job].size;
  leave(job);
}

void JobQueue::put_back(std::size_t job) {
  const std::lock_guard lock(mutex_);
  leave(job);
  jobs_[job].alone = true;
  waiting_.insert(waiting_.begin(), job);
}

void JobQueue::end_behind(std::size_t job) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [job](std::size_t other) { return other > job; });
  changed_.notify_all();
}

void JobQueue::end() {
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  changed_.notify_all();
}

bool JobQueue::busy() const {
  const std::lock_guard lock(mutex_);
  return under_way_ > 0;
}

}  // namespace gradproof
