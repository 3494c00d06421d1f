// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "properties/laws/laws.h"
#include "properties/laws/normalisation/moments.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// With z the norm's input, dz = weight rstd (g - S1/N - xhat S2/N), S2 = sum g xhat = d_weight and
/// sum xhat^2 = N var rstd^2, so that sum dz (z - mean) = weight d_weight eps rstd^2: but for eps,
/// d_x is orthogonal to xhat. A scale s in front drops out, dx (x - mean of x) = dz (z - mean).
void holds(Trial& t) {
  const Claim& claim = t.claim();
  const LawRun& run = t.run();
  const auto eps = static_cast<long double>(first_norm(claim.pipeline)->scalars.front());
  Estimate gap{{claim.cols}, {}, {}};
  std::vector<long double> sizes;
  for (std::int64_t col = 0; col < claim.cols; ++col) {
    const Moments x = moments_of(column_of(run.given("x"), claim, col));
    const Moments z = moments_of(normalised_column(claim, run.inputs(), col));
    std::vector<long double> along_x(run.near("d_x").size(), 0);
    long double size = 0;
    for (std::int64_t i = col; i < run.given("x").numel(); i += claim.cols) {
      const auto at = static_cast<std::size_t>(i);
      along_x[at] = static_cast<long double>(run.given("x").at(i)) - x.mean;
      size += std::abs(along_x[at] * run.near("d_x").value[at]);
    }
    std::vector<long double> along_weight(static_cast<std::size_t>(claim.cols), 0);
    along_weight[static_cast<std::size_t>(col)] =
        static_cast<long double>(run.given("weight").at(col)) * eps / (z.biased + eps);
    const Estimate sum =
        weighted_sum(run.near("d_x"), along_x) - weighted_sum(run.near("d_weight"), along_weight);
    gap.value.push_back(sum.value[0]);
    gap.bound.push_back(sum.bound[0]);
    sizes.push_back(size);
  }
  t.expect_zero("sum of d_x (x - mean) less weight d_weight eps rstd^2", gap, sizes);
}

}  // namespace

Law dx_along_x() {
  return {
      "dx_along_x", "under a BatchNorm d_x is orthogonal to xhat, but for what eps leaves",
      silences::any_of<silences::no_gradients, silences::lacks<"d_x">, silences::lacks<"d_weight">,
                       silences::no_own_statistics, silences::norm_not_first, silences::groups>,
      holds};
}

}  // namespace gradproof
