// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"
#include "oracles/differences/evaluate/packed_losses_text.h"

namespace gradproof {

std::unique_ptr<PackedLosses> packed_losses_baseline(const Script& script,
                                                     AuditArithmetic arithmetic) {
  return make_packed_losses(script, arithmetic);
}

std::vector<PackedLossesKind> packed_losses_kinds() {
  std::vector<PackedLossesKind> kinds{{"baseline", true, &packed_losses_baseline}};
#ifdef GRADPROOF_X86_TIERS
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  kinds.push_back({"fma", fma, &packed_losses_fma});
  const bool avx512 = fma && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  kinds.push_back({"avx512", avx512, &packed_losses_avx512});
#endif
  return kinds;
}

std::unique_ptr<PackedLosses> packed_losses(const Script& script, AuditArithmetic arithmetic) {
  static const PackedLossesKind best = [] {
    PackedLossesKind found{};
    for (const PackedLossesKind& kind : packed_losses_kinds())
      if (kind.runs_here) found = kind;
    return found;
  }();
  std::unique_ptr<PackedLosses> losses = best.make(script, arithmetic);
  if (losses == nullptr) throw InstrumentError("packed losses do not come in 50 digits");
  return losses;
}

}  // namespace gradproof
