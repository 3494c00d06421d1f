// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/cotangent/directions.h"

#include <cmath>
#include <limits>

#include "core/tensor/philox.h"
#include "oracles/oracle.h"

namespace gradproof {

Tensors random_signs(const Trial& t, const TensorSpec& spec) {
  const Stream stream(t.seed(), "v:" + spec.name);
  return changed({{spec.name, blank(spec)}}, spec.name, [&](double, std::int64_t i) {
    return stream.bits(static_cast<std::uint64_t>(i)) & 1 ? 1 : -1;
  });
}

Estimate derivative_along(const Trial& t, const Tensors& v) {
  const HiLo truth = directional_derivative(t.claim(), t.inputs(), v);
  Estimate derivative =
      exactly({1}, {static_cast<long double>(truth.hi) + static_cast<long double>(truth.lo)});
  // Two doubles have been rounded to one long double.
  derivative.bound[0] = std::isfinite(truth.hi) ? std::ldexp(std::abs(derivative.value[0]), -63)
                                                : std::numeric_limits<long double>::infinity();
  return derivative;
}

}  // namespace gradproof
