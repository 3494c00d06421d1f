// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// "passed whatever the inputs are: 44 no elements, 3 vanishing by mathematics"; empty where there
/// is none.
std::string known_line(const std::vector<Record>& records);

/// "183 passes prove little (3.1% of all): by their inputs 112: 71 every truth is 0, 41 dy is one
/// number everywhere; by their bound 71: 71 the bound of some is infinite"; empty where there is
/// none.
std::string mistrusted_line(const std::vector<Record>& records);

/// Whether what a pass resolves says something: of a truth that is 0 by mathematics no factor is
/// seen.
bool resolves_something(const Record& record);

}  // namespace gradproof
