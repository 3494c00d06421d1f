// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace gradproof {

/// Columns of what the descriptor writes to: a terminal says it; else COLUMNS does, as shells set
/// it; else a terminal that says nothing has 80, and a file or a pipe gets 100
/// (reports/text/wrap.h). Never less than 40.
std::size_t text_width(int descriptor);

/// text_width() of standard output.
std::size_t output_width();

/// The width that a tensor's evidence on standard output is broken at: programs search the lines of
/// --verbose, so a file or a pipe gets these whole.
std::size_t evidence_width(bool verbose);

}  // namespace gradproof
