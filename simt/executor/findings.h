// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "simt/executor/runtime.h"
#include "simt/host.h"

namespace simt::executor {

/// "syncthreads" -> "__syncthreads" and so on, as kernels spell it.
const char* name_of(Op op);
/// "batchnorm.cu:41".
std::string place(const char* path, std::uint32_t line);
std::string place(Where where);

/// What all workers of one launch found; a fault that every block has is reported once
/// for each kind and place.
class FindingLog {
 public:
  /// `where` is what the same fault has in common in all blocks.
  void add(std::uint64_t block, const char* kind, Where where, std::string text);
  /// In block order, so that a report does not depend on which worker was first.
  std::vector<Finding> take();

 private:
  struct Entry {
    std::uint64_t block;
    std::string place;
    Finding finding;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace simt::executor
