// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/shifted.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "properties/laws/normalisation/normalised_tensor.h"

namespace gradproof {

Shifted shifted_inputs(const Claim& claim, const Tensors& inputs) {
  const std::optional<NormalisedTensor> found = shifted_tensor(claim);
  if (!found) throw InstrumentError("no norm takes what a constant may be added to");
  Shifted shifted{found->tensor, inputs, inputs};
  const TensorSpec& spec = claim.tensor(found->tensor);
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
    // The sign is another one in every other unit.
    const std::int64_t unit = unit_of(claim, found->norm, spec, i);
    before.set(i, std::ldexp(std::nearbyint(std::ldexp(before.at(i), -grid)), grid));
    after.set(i, before.at(i) + (unit % 2 == 0 ? c : -c));
  }
  return shifted;
}

}  // namespace gradproof
