// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case.h"
#include "core/claim.h"

namespace gradproof {

/// Pipeline, contract and tensors of batchnorm_bias_divide_swish for one Case.
Claim batchnorm_claim(const Case& c);

/// Whether a Case normalises with the batch's own statistics: in training, and where none are
/// tracked.
bool has_batch_statistics(const Case& c);

}  // namespace gradproof
