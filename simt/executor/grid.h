// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>

#include "simt/executor/findings.h"
#include "simt/executor/runtime.h"
#include "simt/host.h"

namespace simt::executor {

/// One launch as its workers share it: it hands out blocks and gathers their findings.
class Grid {
 public:
  Grid(const Request& request, const Options& options, std::uint64_t launch_number);

  const Request& request() const { return request_; }
  const Options& options() const { return options_; }
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t launch_number() const { return launch_number_; }
  std::uint64_t threads_per_block() const;
  FindingLog& findings() { return findings_; }

  /// The next block in this launch's order; nothing if all are taken or the launch was stopped.
  std::optional<std::uint64_t> take_block();
  void block_finished() { finished_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t finished() const { return finished_.load(std::memory_order_relaxed); }
  void stop() { stopped_.store(true, std::memory_order_relaxed); }
  uint3 coordinates(std::uint64_t block) const;
  /// The seed of a block's draws. It does not depend on which worker runs the block.
  std::uint64_t seed(std::uint64_t block) const;

  /// Remembers that a thread made an atomic operation. Only under Running::adversarial does every
  /// atomic call this; otherwise only those that changed nothing do.
  void note_atomic() { has_atomics_.store(true, std::memory_order_relaxed); }
  bool has_atomics() const { return has_atomics_.load(std::memory_order_relaxed); }

  void note_chain(std::int32_t longest);
  std::int32_t longest_chain() const { return longest_chain_; }
  void note_exception(std::exception_ptr thrown);
  std::exception_ptr thrown() const { return thrown_; }

 private:
  const Request& request_;
  const Options& options_;
  std::uint64_t blocks_;
  std::uint64_t launch_number_;
  std::uint64_t seed_;
  std::uint64_t first_ = 0;   ///< random order: block k is first_ + k stride_
  std::uint64_t stride_ = 1;  ///< coprime to blocks_
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> finished_{0};
  std::atomic<bool> stopped_{false};
  std::atomic<bool> has_atomics_{false};
  FindingLog findings_;
  std::mutex mutex_;
  std::int32_t longest_chain_ = 0;
  std::exception_ptr thrown_;
};

}  // namespace simt::executor
