// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/cotangent/directions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/graph/stages.h"
#include "core/tensor/philox.h"
#include "oracles/claim/case_claim.h"
#include "oracles/claim/graph_of_claim.h"
#include "oracles/graph/audit/audit_graph.h"
#include "oracles/oracle.h"

namespace gradproof {

Tensors random_signs(const Trial& t, const TensorSpec& spec) {
  const Stream stream(t.seed(), "v:" + spec.name);
  return changed({{spec.name, blank(spec)}}, spec.name, [&](double, std::int64_t i) {
    return stream.bits(static_cast<std::uint64_t>(i)) & 1 ? 1 : -1;
  });
}

namespace {

constexpr long double kUnbounded = std::numeric_limits<long double>::infinity();

/// <J v, dy>, and what its two doubles cost when they are rounded to one long double.
Estimate along(const HiLo& truth) {
  Estimate derivative =
      exactly({1}, {static_cast<long double>(truth.hi) + static_cast<long double>(truth.lo)});
  derivative.bound[0] =
      std::isfinite(truth.hi) ? std::ldexp(std::abs(derivative.value[0]), -63) : kUnbounded;
  return derivative;
}

GraphClaim graph_of(const Trial& t) {
  return t.claim().by_graph ? graph_claim_of(t.c()) : audited_graph_of_claim(t.claim(), t.inputs());
}

Estimate along_in_graph(const Trial& t, const Tensors& v) {
  return along(directional_derivative(graph_of(t), t.inputs(), v));
}

/// The function says whether the two sides have other derivatives somewhere. Several kinks do not
/// cancel in this direction, whose numbers are normal. Without a kink the sides differ by roundings
/// of double-doubles alone, some 2^-100 of what is summed; 2^-40 of it lies far from these.
bool has_kink(Trial& t, const TensorSpec& spec) {
  if (std::ranges::all_of(t.claim().graph.steps, [](const GraphStep& step) {
        return graph_stage(step.stage).kinks.empty();
      }))
    return false;
  const Stream stream(t.seed(), "side:" + spec.name);
  const Estimate& gradient = t.run().near("d_" + spec.name);
  Tensor ahead(DType::f64, spec.layout.shape);
  long double size = 0;
  for (std::int64_t i = 0; i < ahead.numel(); ++i) {
    ahead.set(i, stream.normal(static_cast<std::uint64_t>(i)));
    size += std::abs(static_cast<long double>(ahead.at(i)) *
                     gradient.value[static_cast<std::size_t>(i)]);
  }
  const Tensors behind =
      changed({{spec.name, ahead}}, spec.name, [](double v, std::int64_t) { return -v; });
  const Estimate one = along_in_graph(t, {{spec.name, ahead}});
  const Estimate other = along_in_graph(t, behind);
  return !(std::abs(one.value[0] + other.value[0]) <= std::ldexp(size, -40));
}

}  // namespace

Estimate derivative_along(Trial& t, const TensorSpec& spec, const Tensors& v) {
  Estimate derivative = along_in_graph(t, v);
  if (t.claim().by_graph && has_kink(t, spec)) derivative.bound[0] = kUnbounded;
  return derivative;
}

}  // namespace gradproof
