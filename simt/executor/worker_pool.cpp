// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/worker_pool.h"

namespace simt::executor {

WorkerPool& WorkerPool::instance() {
  static WorkerPool pool;
  return pool;
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(int helpers, const std::function<void()>& work) {
  const std::unique_lock exclusive(in_use_, std::try_to_lock);
  if (helpers <= 0 || !exclusive) return work();
  {
    const std::lock_guard lock(mutex_);
    while (static_cast<int>(threads_.size()) < helpers) threads_.emplace_back([this] { help(); });
    work_ = &work;
    wanted_ = helpers;
  }
  wake_.notify_all();
  work();
  std::unique_lock lock(mutex_);
  wanted_ = 0;  // whoever wakes up later finds nothing to do
  done_.wait(lock, [this] { return busy_ == 0; });
}

void WorkerPool::help() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ending_ || wanted_ > 0; });
    if (ending_) return;
    --wanted_;
    ++busy_;
    const std::function<void()>& work = *work_;
    lock.unlock();
    work();
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace simt::executor
