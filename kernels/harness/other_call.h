// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "core/tensor/tensor.h"

/// What calls beside the judged one are made of.
namespace gradproof {

/// How findings call memory of such a call.
inline constexpr const char* kOfAnotherCall = " of another call";

/// Other numbers of the same kind: in reverse order, every second one with the other sign. Of a
/// buffer, which may be a variance, and of labels in reverse order; of the count of batches, one
/// more.
Tensor other_numbers(const TensorSpec& spec, const Tensor& numbers);

/// In large arrays padding costs nothing, here it would: the other call's tensors lie side by side
/// where the layout is sparse.
Claim without_sparse_layouts(Claim claim);

}  // namespace gradproof
