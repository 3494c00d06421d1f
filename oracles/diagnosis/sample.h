// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/diagnosis/overview.h"

namespace gradproof::diagnosis {

/// Parts that are together everything, each small where units are.
std::vector<Part> parts_of(const Question& question);

/// What explanations are tried on before they are verified on all: where most entries are wrong.
/// Whole blocks, rows of one, or columns of one. All, for a gradient of one number.
Observation sample_of(const Question& question, const Overview& overview);

/// Whether that is everything.
bool is_whole(const Observation& sample);

}  // namespace gradproof::diagnosis
