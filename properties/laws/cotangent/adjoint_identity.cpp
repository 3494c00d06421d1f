// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/tensor/philox.h"
#include "oracles/oracle.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// <J v, dy> by dual numbers through the pipeline's value, so that no backward formula is trusted,
/// beside <v, J^T dy> by the kernel. Of v there are signs only: no entry is favoured.
void holds(Trial& t) {
  for (const TensorSpec& spec : t.claim().tensors) {
    const std::string gradient = "d_" + spec.name;
    if (!t.claim().has(gradient)) continue;
    const Stream stream(t.seed(), "v:" + spec.name);
    const Tensors v = changed({{spec.name, blank(spec)}}, spec.name, [&](double, std::int64_t i) {
      return stream.bits(static_cast<std::uint64_t>(i)) & 1 ? 1 : -1;
    });
    const HiLo truth = directional_derivative(t.claim(), t.inputs(), v);
    Estimate want =
        exactly({1}, {static_cast<long double>(truth.hi) + static_cast<long double>(truth.lo)});
    // Two doubles in one long double; a derivative that is no number says nothing.
    want.bound[0] = std::isfinite(truth.hi) ? std::ldexp(std::abs(want.value[0]), -63)
                                            : std::numeric_limits<long double>::infinity();
    t.expect_near(gradient + " along v",
                  weighted_sum(t.run().near(gradient), exactly(v.at(spec.name)).value), want);
  }
}

}  // namespace

Law adjoint_identity() {
  return {"adjoint_identity", "<J v, dy> = <v, J^T dy> for every input and parameter",
          silences::no_gradients, holds};
}

}  // namespace gradproof
