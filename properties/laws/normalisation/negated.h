// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "properties/laws/normalisation/normalised_tensor.h"
#include "properties/laws/trial.h"

namespace gradproof {

/// The norm gives the same where this tensor in front of it has the other sign, and with it the
/// norm's weight and the means that it is given: gradients of what was negated are negated, and all
/// other results are the same, bit for bit, since rounding to nearest does not see the sign. What
/// kernels of the catalog save of the mean, and keep of it between calls, is negated too.
void expect_negated(Trial& t, const NormalisedTensor& norm, const std::string& tensor);

}  // namespace gradproof
