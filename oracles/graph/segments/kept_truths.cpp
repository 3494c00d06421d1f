// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/kept_truths.h"

#include <cmath>
#include <utility>

#include "oracles/graph/segments/judged_targets.h"
#include "oracles/graph/ties/tie_shares.h"

namespace gradproof {

KeptTruths kept(std::map<std::string, GraphTruths, std::less<>> truths) {
  KeptTruths all;
  for (auto& [name, one] : truths)
    all.emplace(name, std::make_shared<const GraphTruths>(std::move(one)));
  return all;
}

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

JudgedGraph judge_by_truths(const GraphClaim& claim, const Tensors& inputs, const Tensors& got,
                            KeptTruths truths) {
  JudgedTensors asked;
  for (const auto& [name, tensor] : got) asked.emplace(name, &tensor);
  JudgedTargets targets(claim, asked);
  for (const auto& [name, truth] : truths) targets.put(name, *truth);
  JudgedGraph found{targets.judged(claim.contract.why()), std::move(truths)};
  for (auto& [name, text] : wrong_tie_shares(claim, inputs, asked))
    found.judged.at(name).wrong_shares = std::move(text);
  return found;
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
