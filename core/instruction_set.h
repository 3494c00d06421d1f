// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gradproof {

/// The processors that a source can be compiled for (cmake/GradproofInstructionSets.cmake): any;
/// x86 with AVX2 and FMA; x86 that also has AVX-512 F, DQ and VL.
enum class InstructionSet { baseline, fma, avx512 };

/// The name of the set: "baseline", "fma" or "avx512".
std::string name_of(InstructionSet set);
/// True if this processor has the instructions.
bool runs_here(InstructionSet set);

/// One compilation of a source, and the function that enters it.
template <class Make>
struct Compilation {
  InstructionSet set = InstructionSet::baseline;
  Make make{};
};
// C++20 deduces an aggregate's arguments without this guide; clang 16 does not yet.
template <class Make>
Compilation(InstructionSet, Make) -> Compilation<Make>;

/// The last compilation, hence the one for the widest instructions, that this processor can run.
template <class Make>
Compilation<Make> widest(const std::vector<Compilation<Make>>& compilations) {
  Compilation<Make> found = compilations.front();
  for (const Compilation<Make>& each : compilations)
    if (runs_here(each.set)) found = each;
  return found;
}

#ifdef GRADPROOF_INSTRUCTION_SETS  // in sources that list compilations
template <InstructionSet... sets>
struct InstructionSets {};

template <class Entry, InstructionSet... sets>
auto compilations_of(const Entry& entry, InstructionSets<sets...>) {
  return std::vector{Compilation{sets, entry.template operator()<sets>()}...};
}

/// All compilations in this program, the widest last. `entry` maps an instruction set, a template
/// argument, to the function that enters its compilation:
///   compilations_of([]<InstructionSet set>() { return &packed_graph<set>; })
template <class Entry>
auto compilations_of(const Entry& entry) {
  using enum InstructionSet;
  return compilations_of(entry, InstructionSets<GRADPROOF_INSTRUCTION_SETS>{});
}
/// All compilations of a SCALAR source: those without AVX-512.
template <class Entry>
auto scalar_compilations_of(const Entry& entry) {
  using enum InstructionSet;
  return compilations_of(entry, InstructionSets<GRADPROOF_SCALAR_INSTRUCTION_SETS>{});
}
#endif

}  // namespace gradproof
