// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/instruction_set.h"

namespace gradproof {

/// The data that a stream's numbers depend on, apart from their index.
struct StreamKey {
  std::uint32_t key[2] = {};
  std::uint32_t name = 0;
};

/// Writes the numbers of a stream with the indices first, first + 1, ..., several at once.
struct StreamLoops {
  void (*bits)(const StreamKey& key, std::uint64_t first, std::size_t count, std::uint64_t* out);
  void (*uniforms)(const StreamKey& key, std::uint64_t first, std::size_t count, double* out);
  void (*normals)(const StreamKey& key, std::uint64_t first, std::size_t count, double* out);
};

/// The loops of one instruction set. All give the same bits: IEEE + - * / sqrt and integers alone.
template <InstructionSet set>
StreamLoops stream_loops_of();

std::vector<Compilation<StreamLoops (*)()>> stream_loop_compilations();
/// The loops for the widest instructions that this processor can run.
const StreamLoops& stream_loops();

}  // namespace gradproof
