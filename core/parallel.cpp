// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/cores.h"
#include "core/work_listener.h"

namespace gradproof {
namespace {

thread_local int own_limit = 0;  // 0: all cores

}  // namespace

int thread_limit() {
  if (own_limit > 0) return own_limit;
  return cores();
}

ThreadLimit::ThreadLimit(int threads) : outer_(own_limit) { own_limit = threads; }
ThreadLimit::~ThreadLimit() { own_limit = outer_; }

void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& work,
                    const std::function<void()>& at_thread_end) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto worker = [&] {
    try {
      for (std::int64_t i = next++; i < count; i = next++) {
        work(i);
        note_work();
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const int threads = thread_limit();
  std::vector<std::jthread> helpers;
  for (std::int64_t k = 1; k < std::min<std::int64_t>(threads, count); ++k)
    helpers.emplace_back([&] {
      const ThreadLimit limit(threads);
      worker();
      at_thread_end();
    });
  worker();
  helpers.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gradproof
