// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "reports/runs/store.h"
#include "reports/text/text_table.h"

namespace gradproof {

/// One row for each system and tensor, its head first: of all modes and dtypes together the fewest
/// digits and where they are, the step taken there, the largest error/bound of kernel and LibTorch,
/// the fewest digits of dual numbers and second order, the time, and the rows by verdict.
std::vector<TextRow> audit_summary(const std::vector<Record>& records);

/// The audit in plain lines: the summary, what is not certified, what was left out, and RESULT.
std::string audit_lines(const StoredRecords& stored);

/// The audit as a page: tally, the summary as a table, what is not certified, and a line for each
/// row with its picture, which lies beside; at its end what is incomplete and what was left out.
std::string audit_page(const StoredRecords& stored);

}  // namespace gradproof
