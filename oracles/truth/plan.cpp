// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"
#include "oracles/truth/block_evaluator.h"

namespace gradproof {
namespace {

bool is_summed(const Claim& claim, const TensorSpec& spec) {
  return claim.groups() > 0 || (numel(spec.layout.shape) == 1 && claim.cols() > 1);
}

/// The index of the side value of this name in CompiledPipeline::sides.
std::size_t side_of(const CompiledPipeline& compiled, const std::string& name) {
  for (std::size_t s = 0; s < compiled.sides.size(); ++s)
    if (compiled.sides[s].name == name) return s;
  throw InstrumentError("no step has '" + name + "'");
}

/// One output for each judged tensor, but for the count of batches, which needs no evaluation.
void add_outputs(Plan& plan) {
  const Claim& claim = plan.claim;
  for (std::size_t k = 0; k < claim.tensors.size(); ++k) {
    const TensorSpec& spec = claim.tensors[k];
    if (!is_judged(claim, spec) || spec.dtype == DType::i64) continue;
    const StoredRounding rounding(claim, spec);
    Output output{Output::Part::side_value, 0, rounding.type(), false};
    if (spec.name == "y") {
      output.part = Output::Part::y;
    } else if (claim.is_matrix(spec)) {
      output.part = Output::Part::input_gradient;
    } else if (spec.role == Role::gradient) {
      output.part = Output::Part::parameter_gradient;
      output.slot = plan.compiled.number(spec.name.substr(2));
      output.summed = is_summed(claim, spec);
    } else {
      output.slot = side_of(plan.compiled, spec.name);
    }
    plan.outputs.push_back(output);
    plan.tensors.push_back(k);
    plan.roundings.push_back(rounding);
  }
}

void check_inexact(const Claim& claim, const InexactInputs& inexact) {
  for (const auto& [name, numbers] : inexact) {
    const TensorSpec& spec = claim.tensor(name);
    if (spec.role != Role::input && spec.role != Role::cotangent)
      throw InstrumentError(name + " is neither an input nor a cotangent: it is exact");
    for (const Tensor* tensor : {&numbers.radius, &numbers.error})
      if (tensor->numel() > 0 &&
          (tensor->dtype() != DType::f64 || tensor->shape() != spec.layout.shape))
        throw InstrumentError(name + ": radius and error are f64 and in the matrix's shape");
  }
}

}  // namespace

bool is_judged(const Claim& claim, const TensorSpec& spec) {
  if (spec.role == Role::gradient) return claim.backward;
  return claim.forward && (spec.role == Role::output || spec.role == Role::buffer);
}

std::string why_of(const Claim& claim, const TensorSpec& spec, bool given) {
  const std::string why = claim.contract.why();
  if (spec.role != Role::gradient) return why;
  return why + (given ? ", given the statistics" : ", end to end");
}

Plan plan_of(const Claim& claim, const Tensors& inputs, const std::optional<GivenStatistics>& given,
             const InexactInputs& inexact) {
  check_inexact(claim, inexact);
  Plan plan{claim, inputs, given, inexact, Geometry(claim), CompiledPipeline(claim), {}, {}, {}};
  add_outputs(plan);
  return plan;
}

}  // namespace gradproof
