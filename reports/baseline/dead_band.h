// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/tensor/tensor.h"
#include "reports/baseline/baseline_file.h"

namespace gradproof {

/// How many times max and rms may grow or shrink without a verdict: what another draw of the same
/// rounding errors does.
struct DeadBand {
  double max = 1;
  double rms = 1;
};

/// With n independent errors the rms of normal draws varies by 1/sqrt(2n) of itself and their
/// maximum by about 1/(2 ln n) (Gumbel's law); three times that is allowed. n counts the columns,
/// because the elements of a column share the errors of its statistics.
DeadBand dead_band(const Shape& shape);

/// No narrower than what repeated runs of the same build showed.
DeadBand widened(DeadBand band, const MeasuredNoise& noise);

}  // namespace gradproof
