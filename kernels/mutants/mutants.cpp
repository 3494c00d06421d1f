// SPDX-License-Identifier: Apache-2.0
#include "kernels/mutants/mutants.h"

#include "kernels/catalog/entry_points.h"
#include "mutant_list.h"

#define GRADPROOF_DECLARE_MUTANT(name, word, S, P, A) GRADPROOF_DECLARE(mutant_##name, word)

GRADPROOF_MUTANTS(GRADPROOF_DECLARE_MUTANT)

namespace gradproof {

Mutants mutants() {
  Mutants all;
#define GRADPROOF_ADD_MUTANT(name, word, S, P, A)                                          \
  all[#word].emplace(#name, Mutant{GRADPROOF_ENTRY_OF_TYPES(mutant_##name, word, S, P, A), \
                                   dtype_of<S>(), dtype_of<P>()});
  GRADPROOF_MUTANTS(GRADPROOF_ADD_MUTANT)
  return all;
}

}  // namespace gradproof
