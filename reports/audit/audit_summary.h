// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "reports/runs/store.h"
#include "reports/text/text_table.h"

namespace gradproof {

/// One row for each system and tensor, its head first: of all modes and dtypes together the fewest
/// digits and where they are, the step taken there, the largest error/bound of kernel and LibTorch,
/// the fewest digits of dual numbers and second order, the time, and the rows by verdict.
std::vector<TextRow> audit_summary(const std::vector<Record>& records);

/// The summary in lines of at most `width`; columns that say least go first if it is wider.
std::vector<std::string> summary_table(const std::vector<Record>& records, std::size_t width);

/// The tables of the rows that are not certified, each Case in front of its own; empty if all are
/// certified.
std::string not_certified(const std::vector<Record>& records, std::size_t width);

/// The audit in plain lines: the summary, what is not certified, what was left out, and RESULT with
/// the seconds that it took, none longer than `width` but RESULT.
std::string audit_lines(const StoredRecords& stored, double seconds, std::size_t width);

}  // namespace gradproof
