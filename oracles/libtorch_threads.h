// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <ATen/Parallel.h>

namespace gradproof {

/// Sets how many threads LibTorch gives its loops from here, and takes that back at the end: a
/// small matrix is done before they have started.
class FewThreads {
 public:
  explicit FewThreads(std::int64_t elements) : before_(at::get_num_threads()) {
    constexpr std::int64_t kSmall = std::int64_t{1} << 15;
    if (elements < kSmall && before_ > 1) at::set_num_threads(1);
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
