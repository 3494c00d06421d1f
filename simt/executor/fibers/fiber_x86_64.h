// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "simt/executor/fibers/stack.h"

/// Fibers on x86-64 (System V). See fiber.h.
///
/// Boost.Context continues the other stack with an indirect jump. The return address then stays on
/// the processor's return stack, and each of the four or five returns that follow is mispredicted:
/// a barrier takes 42 ns instead of 12. Here the switch is a call that ends with a return; as all
/// threads wait through the same calls, even the returns of another stack are predicted well.
namespace simt::executor {

using Context = void*;

/// Pushes the callee-saved registers, exchanges the stack pointer and pops them. The floating-point
/// control words stay, because no kernel changes them.
extern "C" void simt_switch_stack(Context* save, Context target);

inline void jump(Context& save, Context target, const Stack&) { simt_switch_stack(&save, target); }

template <void (*entry)()>
Context fresh_context(const Stack& stack) {
  constexpr int kSavedRegisters = 6;
  auto* word = reinterpret_cast<std::uintptr_t*>(stack.top);
  *--word = 0;  // entry has no caller: the end of every backtrace
  *--word = reinterpret_cast<std::uintptr_t>(entry);
  for (int i = 0; i < kSavedRegisters; ++i) *--word = 0;
  return word;
}

inline Stack entered() { return {nullptr, nullptr}; }

}  // namespace simt::executor
