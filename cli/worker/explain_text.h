// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "judge/explain_case.h"

namespace gradproof {

/// The facts laid out for a person, in at most 100 columns where names permit. `replay`: the
/// command that runs the Case once more.
std::vector<std::string> explain_lines(const ElementFacts& facts, const std::string& replay);

/// The facts as one JSON object in one line (docs/explain.md).
std::string explain_json(const ElementFacts& facts);

}  // namespace gradproof
