// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/derivative_witnesses.h"

#include "oracles/arithmetic/plain.h"
#include "oracles/derivatives/dual_witness.h"
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
  const std::vector<Differentiated> tensors = differentiated(claim, CompiledPipeline(claim));
  const auto meetings = dual_meetings<Plain>(claim, inputs);
  std::map<std::string, std::vector<AuditWitness>> result;
  std::vector<Moved> moved;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    result["d_" + tensors[t].name].push_back(dual_witness(claim, meetings[t]));
    moved.push_back({tensors[t], false});
    if (tensors[t].movable.input) moved.push_back({tensors[t], true});
  }
  if (claim.pipeline.differentiable < 2) {
    for (auto& [gradient, witnesses] : result) witnesses.push_back(differentiable_once());
    return result;
  }
  const auto second = second_order_witnesses<Plain>(claim, inputs, moved);
  for (std::size_t m = 0; m < moved.size(); ++m)
    result["d_" + moved[m].tensor.name].push_back(second[m]);
  return result;
}

}  // namespace gradproof
