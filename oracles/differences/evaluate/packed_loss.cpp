// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"
#include "oracles/differences/evaluate/packed_loss_text.h"

namespace gradproof {

std::unique_ptr<PackedLoss> packed_loss_baseline(const CompiledPipeline& compiled,
                                                 AuditArithmetic arithmetic) {
  return make_packed_loss(compiled, arithmetic);
}

std::vector<PackedLossKind> packed_loss_kinds() {
  std::vector<PackedLossKind> kinds{{"baseline", true, &packed_loss_baseline}};
#ifdef GRADPROOF_X86_TIERS
  const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  kinds.push_back({"fma", fma, &packed_loss_fma});
  const bool avx512 = fma && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  kinds.push_back({"avx512", avx512, &packed_loss_avx512});
#endif
  return kinds;
}

std::unique_ptr<PackedLoss> packed_loss(const CompiledPipeline& compiled,
                                        AuditArithmetic arithmetic) {
  static const PackedLossKind best = [] {
    PackedLossKind found{};
    for (const PackedLossKind& kind : packed_loss_kinds())
      if (kind.runs_here) found = kind;
    return found;
  }();
  std::unique_ptr<PackedLoss> losses = best.make(compiled, arithmetic);
  if (losses == nullptr) throw InstrumentError("packed losses do not come in 50 digits");
  return losses;
}

}  // namespace gradproof
