// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include <ATen/Parallel.h>

namespace gradproof {

/// Sets the number of threads of LibTorch's loops, and restores it in the destructor. A small
/// matrix gets one thread, as it is finished before others would start; no matrix gets more than
/// the caller permits.
class FewThreads {
 public:
  FewThreads(std::int64_t elements, int most) : before_(at::get_num_threads()) {
    constexpr std::int64_t kSmall = std::int64_t{1} << 15;
    const int wanted = elements < kSmall ? 1 : std::min(before_, most);
    if (wanted != before_) at::set_num_threads(wanted);
  }
  ~FewThreads() {
    if (at::get_num_threads() != before_) at::set_num_threads(before_);
  }
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;

 private:
  int before_;
};

}  // namespace gradproof
