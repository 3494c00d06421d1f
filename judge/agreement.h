// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/compare/answer.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// True if all numbers of the tensor are finite.
bool is_finite(const Tensor& tensor);

/// -log10 of the largest error over the tensor's largest |truth|: infinite where there is no error,
/// NaN where there are no elements, a number is not finite or the truth is 0 everywhere.
double digits_of_agreement(const Tensor& got, const Answer& truth);

}  // namespace gradproof
