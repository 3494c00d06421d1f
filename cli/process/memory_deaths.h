// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace gradproof {

/// The memory account of a Linux control group.
struct MemoryGroup {
  std::string deaths_file;  ///< has a line "oom_kill N"
  std::string limit_file;   ///< bytes, or a word where there is no limit
};

/// The group that /proc/self/cgroup (`text`) names, with its files below `root`: of version 2 if
/// memory is accounted there, else of version 1. The files need not exist.
MemoryGroup memory_group(const std::string& text, const std::string& root = "/sys/fs/cgroup");

/// Watches for processes that the operating system ends for memory, from its construction on: as
/// the control group counts them and as the kernel's log says, where these can be read.
class MemoryDeaths {
 public:
  MemoryDeaths();
  explicit MemoryDeaths(MemoryGroup group);
  ~MemoryDeaths();
  MemoryDeaths(const MemoryDeaths&) = delete;
  MemoryDeaths& operator=(const MemoryDeaths&) = delete;

  /// The evidence on the death of that process: "the kernel's log: Out of memory: Killed process 7
  /// (worker) ...", "its control group ended 1 process for memory; limit 0.5 GiB", "nothing says
  /// that it was memory". A limit on this process's address space is told too.
  std::string evidence(pid_t pid) const;

 private:
  std::string line_of_log(pid_t pid) const;

  MemoryGroup group_;
  std::optional<std::int64_t> deaths_;  ///< at the construction
  int log_ = -1;
};

}  // namespace gradproof
