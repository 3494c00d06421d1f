// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/tensor/tensor.h"
#include "reports/baseline/baseline_file.h"

namespace gradproof {

/// The factors by which max and rms may grow or shrink without a verdict, as they do in another
/// draw of the same rounding errors.
struct DeadBand {
  double max = 1;
  double rms = 1;
};

/// With n independent errors the rms of normal draws varies by 1/sqrt(2n) of itself and their
/// maximum by about 1/(2 ln n) (Gumbel's law); three times that is allowed. n counts the columns,
/// because the elements of a column share the errors of its statistics.
DeadBand dead_band(const Shape& shape);

/// The band, no narrower than what repeated runs of the same build showed.
DeadBand widened(DeadBand band, const MeasuredNoise& noise);

}  // namespace gradproof
