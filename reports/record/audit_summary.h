// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "reports/record/audit_json.h"
#include "reports/text/text_table.h"

namespace gradproof {

/// Rows of an audit by what was found.
struct AuditTally {
  std::int64_t rows = 0;
  std::int64_t certified = 0;
  std::int64_t wrong = 0;
  std::int64_t inconclusive = 0;
  std::int64_t entries = 0;
};
AuditTally tally(const std::vector<AuditRecord>& records);

/// `RESULT rows= certified= wrong= inconclusive= entries= seconds=`, plain numbers.
std::string result_line(const AuditTally& tally, double seconds);

/// One row for each system and tensor, its head first: of all modes and dtypes together the fewest
/// digits and where they are, the step taken there, the largest error/bound of kernel and LibTorch,
/// the fewest digits of dual numbers and second order, the time, and the rows by verdict.
std::vector<TextRow> audit_summary(const std::vector<AuditRecord>& records);

/// The audit for people: tally, the summary as a table, what is not certified, and a line for each
/// row with its picture, which lies beside.
std::string audit_markdown(const std::vector<AuditRecord>& records);

}  // namespace gradproof
