// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/compare/record.h"

namespace gradproof {

/// A verdict as lines show it: "passed", "FAILED", "TIMED OUT".
std::string verdict_word(Outcome outcome);

/// A row for each tensor, two columns in: verdict, tensor, where something is wrong the elements
/// over the bound, then how far the worst element is off in shares of its bound, the share that 99%
/// of the elements stay below, and what the comparison resolves, in its least element and in the
/// median one. Where a bound is of likely errors, a column says of which kind each is. A reason
/// stands under its row. No line is longer than `width`.
///
///     verdict  tensor  of bound  p99   resolves  median
///     passed   y       0.81      0.22  2.3e-07   1e-06
std::string tensor_table(const std::vector<const Record*>& records, std::size_t width);

/// All of one Case: its text; what is declared of the arithmetic, which is the same for all its
/// tensors; the table.
std::string case_table(const std::vector<const Record*>& records, std::size_t width);

std::vector<const Record*> pointers_to(const std::vector<Record>& records);

}  // namespace gradproof
