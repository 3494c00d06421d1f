// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/shifted.h"

#include <algorithm>
#include <cmath>

#include "core/graph/stages.h"
#include "properties/laws/silences.h"

namespace gradproof {

std::string tensor_to_shift(const Claim& claim) {
  const std::vector<GraphStep> chain = claim.chain();
  const std::size_t norm = first_norm(chain);
  if (norm == chain.size()) return "";
  if (silences::norm_not_first(claim).empty()) return "x";
  const GraphStep& before = chain[norm - 1];
  return graph_stage(before.stage).is_summand() ? before.operands.at(1).name : "";
}

Shifted shifted_inputs(const Claim& claim, const Tensors& inputs) {
  Shifted shifted{tensor_to_shift(claim), inputs, inputs};
  Tensor& before = shifted.before.at(shifted.tensor);
  Tensor& after = shifted.after.at(shifted.tensor);
  double most = 0;
  for (std::int64_t i = 0; i < before.numel(); ++i) most = std::max(most, std::abs(before.at(i)));
  if (most == 0) most = 1;
  const int precision = precision_of(before.dtype());
  const int headroom = std::max(2, precision / 3);
  // |number| < 2^(e+1) and c = 2^(e+headroom-1), both multiples of 2^(e+1+headroom-p): their sum is
  // below 2^(e+headroom) for a headroom of 2 or more, and has p - 1 bits.
  const int e = std::ilogb(most);
  const int grid = e + 1 + headroom - precision;
  const double c = std::ldexp(1.0, e + headroom - 1);
  for (std::int64_t i = 0; i < before.numel(); ++i) {
    // Another sign in every other unit: a column, or a group of columns in each row alike.
    const std::int64_t col = before.numel() == 1 ? 0 : i % claim.cols();
    const std::int64_t unit = claim.groups() > 0 ? col / claim.block_width() : col;
    before.set(i, std::ldexp(std::nearbyint(std::ldexp(before.at(i), -grid)), grid));
    after.set(i, before.at(i) + (unit % 2 == 0 ? c : -c));
  }
  return shifted;
}

}  // namespace gradproof
