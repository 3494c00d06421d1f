// SPDX-License-Identifier: Apache-2.0
#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gradproof {

void for_each_index(std::int64_t count, const std::function<void(std::int64_t)>& work,
                    const std::function<void()>& at_thread_end) {
  std::atomic<std::int64_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto worker = [&] {
    try {
      for (std::int64_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const std::int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> helpers;
  for (std::int64_t k = 1; k < std::min(cores, count); ++k)
    helpers.emplace_back([&] {
      worker();
      at_thread_end();
    });
  worker();
  helpers.clear();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gradproof
