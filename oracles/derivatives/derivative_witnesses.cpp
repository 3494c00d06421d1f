// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/derivative_witnesses.h"

#include "oracles/arithmetic/plain.h"
#include "oracles/derivatives/dual_numbers.h"
#include "oracles/derivatives/second_order.h"

namespace gradproof {
namespace {

AuditWitness differentiable_once() {
  AuditWitness once;
  once.name = Witness::second_order;
  once.text = "declared differentiable once";
  return once;
}

}  // namespace

std::map<std::string, std::vector<AuditWitness>> derivative_witnesses(const Claim& claim,
                                                                      const Tensors& inputs) {
  const PipelineTarget target(claim, inputs);
  const auto meetings = dual_meetings<Plain>(target);
  std::map<std::string, std::vector<AuditWitness>> result;
  std::vector<Moved> moved;
  for (std::size_t t = 0; t < meetings.size(); ++t) {
    result["d_" + target.tensors()[t].name].push_back(dual_witness(target, meetings[t]));
    moved.push_back({t, false});
    if (target.movable(t).input) moved.push_back({t, true});
  }
  if (claim.pipeline.differentiable < 2) {
    for (auto& [gradient, witnesses] : result) witnesses.push_back(differentiable_once());
    return result;
  }
  const auto second = second_order_witnesses<Plain>(target, moved);
  for (std::size_t m = 0; m < moved.size(); ++m)
    result["d_" + target.tensors()[moved[m].tensor].name].push_back(second[m]);
  return result;
}

}  // namespace gradproof
