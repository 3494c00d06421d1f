// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The functions of the executor's shared library that Python calls, by ctypes and through the
/// allocator that torch is given.
extern "C" {

/// Sets the options of the following launches: order 0 forward, 1 reverse, 2 random with the seed;
/// workers as in simt::Options. Launch numbers begin anew, so that a call can be repeated.
void gradproof_executor_begin(int order, std::uint64_t seed, int workers);
/// The findings since the last call, an entry a line; the text lives until the next call.
const char* gradproof_executor_findings();
/// The caller's stream as Python has it: a number that is not 0.
std::uintptr_t gradproof_executor_stream();
/// Returns memory between guard bands, filled with NaN; null if there is not enough memory.
void* gradproof_executor_allocate(std::size_t bytes);
void gradproof_executor_free(void* memory);
/// Sets the name that findings give this memory, and the bytes of each of its elements.
void gradproof_executor_name(const void* memory, const char* name, std::size_t element_bytes);
}
