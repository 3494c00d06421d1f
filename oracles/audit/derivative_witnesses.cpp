// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/derivative_witnesses.h"

#include "core/error.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/audit/dual_witness.h"
#include "oracles/audit/second_order.h"

namespace gradproof {
namespace {

Differentiated named(const Claim& claim, const std::string& gradient) {
  std::string known;
  for (const Differentiated& tensor : differentiated(claim, Script(claim))) {
    if ("d_" + tensor.name == gradient) return tensor;
    known += (known.empty() ? "d_" : ", d_") + tensor.name;
  }
  throw InstrumentError("the claim has no gradient '" + gradient + "'; it has " + known);
}

AuditWitness second_order(const Claim& claim, const Tensors& inputs, const Moved& moved) {
  return second_order_witness(claim, moved, second_order_entries<Plain>(claim, inputs, moved));
}

}  // namespace

std::vector<AuditWitness> derivative_witnesses(const Claim& claim, const Tensors& inputs,
                                               const std::string& gradient) {
  const Differentiated tensor = named(claim, gradient);
  std::vector<AuditWitness> result{
      dual_witness(claim, dual_meetings<Plain>(claim, inputs, tensor))};
  if (claim.pipeline.differentiable < 2) {
    AuditWitness once;
    once.name = "second order";
    once.verdict = "silent";
    once.text = "declared differentiable once";
    result.push_back(once);
    return result;
  }
  result.push_back(second_order(claim, inputs, {tensor, false}));
  if (tensor.movable.input) result.push_back(second_order(claim, inputs, {tensor, true}));
  return result;
}

}  // namespace gradproof
