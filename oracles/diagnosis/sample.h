// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/diagnosis/overview.h"

namespace gradproof::diagnosis {

/// Parts that together are the whole claim; each is small where the units are small.
std::vector<Part> parts_of(const Question& question);

/// The part on which explanations are tested first; those that fit are verified on all entries. It
/// is where most entries are wrong: whole blocks, or rows or columns of one block. For a gradient
/// of one number it is everything.
Part sample_of(const Question& question, const Overview& overview);

}  // namespace gradproof::diagnosis
