// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/claim/claim.h"

namespace gradproof {

/// The keys that describe inputs (fill, dy, set, seed), the same for every kernel.
std::vector<Key> input_keys();

/// The numbers that a Case runs on: inputs, parameters, buffers and cotangents of the claim. They
/// depend only on Case and step, rounded to each tensor's dtype. Parameters are not identities (no
/// weight is 1, no bias 0). A step k > 0 draws fresh x and dy, and the parameters stay.
/// Throws UsageError where `set` names an unknown tensor or an index outside it.
Tensors make_inputs(const Case& c, const Claim& claim, std::int64_t step = 0);

/// Writes the elements that the Case's `set` names. Throws UsageError for an unknown tensor or
/// index.
void set_elements(const Case& c, Tensors& tensors);

/// The text of `set` for one element, with a number that is kept bit for bit: "x@3,7:0x1.8p+1".
std::string set_text(const std::string& tensor, const Shape& shape, std::int64_t index,
                     double number);

}  // namespace gradproof
