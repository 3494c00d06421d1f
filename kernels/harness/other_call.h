// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

/// The parts of calls that run beside the judged one.
namespace gradproof {

/// The words that findings add to the names of such a call's memory.
inline constexpr const char* kOfAnotherCall = " of another call";

/// Other numbers of the same kind: in reverse order, every second one with the other sign. Numbers
/// of a buffer, which may be a variance, and labels are in reverse order alone; the count of
/// batches is one more.
Tensor other_numbers(const TensorSpec& spec, const Tensor& numbers);

/// Padding costs nothing in large arrays, but it would cost here: the result has a contiguous
/// layout for each sparse one.
Claim without_sparse_layouts(Claim claim);

}  // namespace gradproof
