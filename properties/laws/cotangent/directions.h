// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "properties/laws/trial.h"

namespace gradproof {

/// A direction for one tensor: +1 and -1 by the seed, so that no entry is favoured.
Tensors random_signs(const Trial& t, const TensorSpec& spec);

/// The sum of J v dy over all outputs, by dual numbers through the pipeline's value: no backward
/// formula is trusted. One that is not finite says nothing.
Estimate derivative_along(const Trial& t, const Tensors& v);

}  // namespace gradproof
