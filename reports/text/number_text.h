// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/tensor/dtype.h"

namespace gradproof {

/// Few digits for reading: 0.81, 9.5, 77600, 2.4e+07.
std::string brief(double value);

/// error/bound like brief, with more digits where two would hide the side of 1 it is on.
std::string ratio_text(double ratio);

/// The number with so many digits that no two of the dtype look alike: 9 for f32, 17 for f64.
std::string exact(double value, DType dtype);

}  // namespace gradproof
