// SPDX-License-Identifier: Apache-2.0
#include "kernels/mutants/mutants.h"

#include "kernels/catalog/entry_points.h"
#include "mutant_list.h"

#define GRADPROOF_DECLARE_MUTANT(name, word, S, P, A) GRADPROOF_DECLARE(mutant_##name, word)

GRADPROOF_MUTANTS(GRADPROOF_DECLARE_MUTANT)

namespace gradproof {

// clang-format off
#define GRADPROOF_MUTANT_ENTRY(unit, word, S, P, A)                                               \
  EntryPoints{                                                                                    \
      [](const Call& call) {                                                                      \
        const auto work = [&]<class S_, class P_, class A_>() {                                   \
          unit::word##_forward(forward_arguments<S_, P_, A_>(call));                              \
        };                                                                                        \
        refuse_bad_forward(call);                                                                 \
        GRADPROOF_RUN_IF(S, P, A) refuse_types(call);                                                   \
      },                                                                                          \
      [](const Call& call) {                                                                      \
        const auto work = [&]<class S_, class P_, class A_>() {                                   \
          unit::word##_backward(backward_arguments<S_, P_, A_>(call));                            \
        };                                                                                        \
        refuse_bad_backward(call);                                                                \
        GRADPROOF_RUN_IF(S, P, A) refuse_types(call);                                                   \
      }}
// clang-format on

Mutants mutants() {
  Mutants all;
#define GRADPROOF_ADD_MUTANT(name, word, S, P, A)                                        \
  all[#word].emplace(#name, Mutant{GRADPROOF_MUTANT_ENTRY(mutant_##name, word, S, P, A), \
                                   dtype_of<S>(), dtype_of<P>()});
  GRADPROOF_MUTANTS(GRADPROOF_ADD_MUTANT)
  return all;
}

}  // namespace gradproof
