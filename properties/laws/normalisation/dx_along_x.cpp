// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/moments.h"
#include "properties/laws/normalisation/unit_sums.h"
#include "properties/laws/silences.h"

namespace gradproof {
namespace {

/// With z the norm's input, dz = weight rstd (g - S1/N - xhat S2/N), S2 = sum g xhat = d_weight and
/// sum xhat^2 = N var rstd^2, so that sum dz (z - mean) = weight d_weight eps rstd^2: but for eps,
/// d_x is orthogonal to xhat. A scale s in front drops out, dx (x - mean of x) = dz (z - mean).
void dx_along_x_holds(Trial& t) {
  const LawRun& run = t.run();
  const auto eps = static_cast<long double>(norm_of(t.claim()).number("eps"));
  std::vector<long double> left_by_eps;
  for (std::int64_t col = 0; col < t.claim().cols(); ++col) {
    const Moments z = moments_of(normalised_column(t.claim(), run.inputs(), col));
    const auto weight = static_cast<long double>(run.given("weight").at(col));
    left_by_eps.push_back(weight * eps / (z.biased + eps));
  }
  const UnitSums along_x = sums_of_dx_along_x(run);
  t.expect_zero("sum of d_x (x - mean) less weight d_weight eps rstd^2",
                along_x.sum - left_by_eps * run.near("d_weight"), along_x.size);
}

}  // namespace

Law dx_along_x() {
  return {"dx_along_x", "under a BatchNorm d_x is orthogonal to xhat, but for what eps leaves",
          silences::any_of<silences::by_graph, silences::no_gradients, silences::lacks<"d_x">,
                           silences::lacks<"d_weight">, silences::no_own_statistics,
                           silences::norm_not_first, silences::groups>,
          dx_along_x_holds};
}

}  // namespace gradproof
