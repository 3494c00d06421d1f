// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/kept_truths.h"

#include <cmath>
#include <utility>

namespace gradproof {

bool is_within(const Tensor& witness, const GraphTruths& all, double share) {
  for (std::size_t i = 0; i < all.truths.size(); ++i) {
    const Truth truth = all.truths.at(i);
    if (truth.any_nonfinite || std::isinf(truth.bound)) continue;
    const double got = witness.at(static_cast<std::int64_t>(i));
    if (!std::isfinite(truth.hi)) {
      if (std::isnan(truth.hi) ? !std::isnan(got) : got != truth.hi) return false;
      continue;
    }
    if (!(std::abs(got - truth.hi - truth.lo) <= share * truth.bound)) return false;
  }
  return true;
}

Verdict judge(const Judged& judged) {
  Verdict verdict = judge(judged.discrepancy);
  const bool may_pass =
      verdict.outcome == Outcome::passed || verdict.outcome == Outcome::mistrusted;
  if (may_pass && !judged.wrong_shares.empty()) verdict = {Outcome::failed, judged.wrong_shares};
  return verdict;
}

GraphTruths truths_of_graph(const GraphClaim& claim, const Tensors& inputs,
                            const std::string& target, const Tensor& like) {
  return std::move(truths_of_graph(claim, inputs, {{target, &like}}).at(target));
}

}  // namespace gradproof
