// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/diagnosis/survey.h"

namespace gradproof::diagnosis {

/// Parts that are together everything, each small where units are.
std::vector<Part> parts_of(const Question& question);

/// What explanations are tried on before they are verified on all: where most entries are wrong.
/// Whole blocks, rows of one, or columns of one. All, for a gradient of one number.
Evidence sample_of(const Question& question, const Survey& survey);

/// Whether that is everything.
bool is_whole(const Evidence& sample);

}  // namespace gradproof::diagnosis
