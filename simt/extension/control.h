// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// What Python asks of the executor's shared library, by ctypes and by the allocator that torch is
/// given.
extern "C" {

/// The launches from here on: 0 forward, 1 reverse, 2 random with the seed; workers as in
/// simt::Options. Launch numbers begin anew, so that a call can be repeated.
void gradproof_executor_begin(int order, std::uint64_t seed, int workers);
/// What was found since it was last asked, an entry a line; the text lives until the next call.
const char* gradproof_executor_findings();
/// The caller's stream as Python has it: a number that is not 0.
std::uintptr_t gradproof_executor_stream();
/// Memory between guard bands, filled with NaN; null where there is not so much.
void* gradproof_executor_allocate(std::size_t bytes);
void gradproof_executor_free(void* memory);
/// How findings call the memory that begins there, and the bytes of each of its elements.
void gradproof_executor_name(const void* memory, const char* name, std::size_t element_bytes);
}
