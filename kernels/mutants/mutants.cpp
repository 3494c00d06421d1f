// SPDX-License-Identifier: Apache-2.0
#include "kernels/mutants/mutants.h"

#include "mutant_kernels.h"

namespace gradproof {

Mutants mutants() {
  const std::string prefix = "mutant_";
  Mutants all;
  for (const auto& [unit, kernel] : mutant_kernels()) {
    const ElementTypes types = kernel.entry.types.at(0);
    all[kernel.word].emplace(unit.substr(prefix.size()),
                             Mutant{kernel.entry, types.dtype, types.parameters});
  }
  return all;
}

}  // namespace gradproof
