// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/claim/claim.h"

namespace gradproof {

/// A claim's outputs, buffers and gradients as IEEE arithmetic gives them when the pipeline is
/// written down in loops, in long double: its exponents are so wide that what overflows here has
/// no other answer. By the claim's names, row-major.
using Reference = std::map<std::string, std::vector<long double>, std::less<>>;
Reference reference_of(const Claim& claim, const Tensors& inputs);

/// NaN, Inf, -Inf or finite.
enum class Class { nan, positive, negative, finite };

/// The class of the number once it is stored in the dtype.
Class class_of(long double value, DType dtype);

}  // namespace gradproof
