// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/findings.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace simt::executor {

const char* name_of(Op op) {
  static constexpr const char* kNames[] = {
      "nothing",           "__syncthreads",       "__syncthreads_and",
      "__syncthreads_or",  "__syncthreads_count", "__shfl_sync",
      "__shfl_up_sync",    "__shfl_down_sync",    "__shfl_xor_sync",
      "__ballot_sync",     "__any_sync",          "__all_sync",
      "__syncwarp",        "__reduce_add_sync",   "__reduce_min_sync",
      "__reduce_max_sync", "__reduce_and_sync",   "__reduce_or_sync",
      "__reduce_xor_sync", "an atomic",           "__nanosleep",
      "code of its own"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Op::computing) + 1);
  return kNames[static_cast<std::size_t>(op)];
}

std::string place(const char* path, std::uint32_t line) {
  if (line == 0) return "a place unknown";
  const char* const slash = std::strrchr(path, '/');
  return std::string(slash ? slash + 1 : path) + ":" + std::to_string(line);
}

std::string place(Where where) { return place(where.file_name(), where.line()); }

void FindingLog::add(std::uint64_t block, const char* kind, Where where, std::string text) {
  constexpr std::size_t kMost = 32;
  const std::string at = place(where);
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.finding.kind != kind || entry.place != at) continue;
    if (block < entry.block) entry = {block, at, {kind, std::move(text)}};
    return;
  }
  if (entries_.size() < kMost) entries_.push_back({block, at, {kind, std::move(text)}});
}

std::vector<Finding> FindingLog::take() {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.block < b.block; });
  std::vector<Finding> findings;
  for (Entry& entry : entries_) findings.push_back(std::move(entry.finding));
  entries_.clear();
  return findings;
}

}  // namespace simt::executor
