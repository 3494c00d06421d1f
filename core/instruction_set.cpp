// SPDX-License-Identifier: Apache-2.0
#include "core/instruction_set.h"

namespace gradproof {

std::string name_of(InstructionSet set) {
  if (set == InstructionSet::baseline) return "baseline";
  return set == InstructionSet::fma ? "fma" : "avx512";
}

bool runs_here(InstructionSet set) {
  if (set == InstructionSet::baseline) return true;
#if defined(__x86_64__) || defined(__i386__)
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (set == InstructionSet::fma) return fma;
  return fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace gradproof
