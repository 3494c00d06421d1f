// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/case.h"
#include "reports/record/json.h"

namespace gradproof {

/// All that a program in another language asks of a graph in braces and its keys, as one document
/// (docs/cli.md): nobody but this program reads the language. `said` is the Case's text, of which
/// the document has the keys as they stand there.
Json line_description(const Case& c, const std::string& said);

}  // namespace gradproof
