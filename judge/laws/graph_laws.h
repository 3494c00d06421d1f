// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "core/case/case.h"
#include "core/compare/record.h"

namespace gradproof {

/// The findings of laws about a graph in braces: about LibTorch's operators, or, where the key
/// `answers` names a folder, about a function that is called elsewhere. As long as nothing is
/// answered there, the calls that the laws make are written into the folder, and one Record says
/// so. `blank` is a Record of the Case that says nothing yet.
std::vector<Record> graph_law_records(const Case& c, const Record& blank);

}  // namespace gradproof
