// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "simt/executor/runtime.h"
#include "simt/host.h"

namespace simt::executor {

/// The name of the operation as kernels spell it: "__syncthreads" for Op::syncthreads and so on.
const char* name_of(Op op);
/// The text "batchnorm.cu:41" for a path and a line; "a place unknown" for line 0.
std::string place(const char* path, std::uint32_t line);
std::string place(Where where);

/// The findings of all workers of one launch; a fault that every block has is reported once
/// for each kind and place.
class FindingLog {
 public:
  /// Adds a finding. `where` is the place that the same fault has in all blocks.
  void add(std::uint64_t block, const char* kind, Where where, std::string text);
  /// Returns the findings in block order, so a report does not depend on which worker was first.
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
