// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace simt::executor {

/// The stack of one kernel thread that waits. A StackPool owns it.
struct Stack {
  std::byte* bottom;
  std::byte*
      top;  ///< shifted by a few lines per stack, so that equal frames do not share cache sets
  std::size_t size() const { return static_cast<std::size_t>(top - bottom); }
};

/// The stacks of one worker, kept between launches; the one given back last is taken first. A page
/// that cannot be touched lies below each, so that an overflow is a crash and not a wrong value of
/// a neighbour.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  Stack* take() {
    if (idle_.empty()) grow();
    Stack* const stack = idle_.back();
    idle_.pop_back();
    return stack;
  }
  void give_back(Stack* stack) { idle_.push_back(stack); }
  /// Takes back every stack, even one on which frames still lie.
  void reclaim();

 private:
  void grow();

  struct Mapping {
    void* base;
    std::size_t bytes;
  };
  std::vector<Mapping> mappings_;
  std::vector<std::unique_ptr<Stack>> stacks_;
  std::vector<Stack*> idle_;
};

}  // namespace simt::executor
