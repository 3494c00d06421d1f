// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/cotangent/directions.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

/// <J v, dy> by dual numbers through the pipeline's value beside <v, J^T dy> by the kernel.
void adjoint_identity_holds(Trial& t) {
  for (const TensorSpec& spec : t.claim().tensors) {
    const std::string gradient = "d_" + spec.name;
    if (!t.claim().has(gradient)) continue;
    const Tensors v = random_signs(t, spec);
    t.expect_near(gradient + " along v",
                  weighted_sum(t.run().near(gradient), exactly(v.at(spec.name)).value),
                  derivative_along(t, spec, v));
  }
}

}  // namespace

Law adjoint_identity() {
  return {"adjoint_identity", "<J v, dy> = <v, J^T dy> for every input and parameter",
          silences::no_gradients, adjoint_identity_holds};
}

}  // namespace gradproof
