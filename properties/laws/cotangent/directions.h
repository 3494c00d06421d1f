// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "properties/laws/trial.h"

namespace gradproof {

/// A direction for one tensor: +1 and -1 by the seed, so that no entry is favoured.
Tensors random_signs(const Trial& t, const TensorSpec& spec);

/// The sum of J v dy over all outputs, by dual numbers through the pipeline's value: no backward
/// formula is trusted. One that is not finite says nothing, and neither does one at a kink. `v` is
/// a direction of the tensor.
Estimate derivative_along(Trial& t, const TensorSpec& spec, const Tensors& v);

}  // namespace gradproof
