// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <ucontext.h>

namespace simt::executor {

/// The address of the memory operand of the instruction at which the context stopped, as far as it
/// is one of SSE's (two-byte opcodes), which fault where 16 bytes are not aligned. Nothing
/// elsewhere.
std::optional<std::uintptr_t> memory_operand(const ucontext_t& context);

}  // namespace simt::executor
