// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/text/wrap.h"

namespace gradproof {

/// The audit of one Case for reading: a line for each tensor; beneath it the reason, what is wrong
/// or inconclusive, and the witnesses that the reason does not speak for (add_witness).
/// No line is longer than `width`.
std::string audit_table(const std::vector<Record>& rows, std::size_t width = kTextWidth);

/// The table of a function's audit, which is about no Case; its reasons speak for no witness.
std::string audit_table(const std::vector<AuditRow>& rows);

/// "28.9"; "exact" where there is no error at all, "-" where nothing was measured.
std::string digits_text(double digits);

/// True if anything is known of an entry: only then do digits and steps mean something.
bool has_digits(const AuditFigures& figures);

/// The witness of that name, or null.
const AuditWitness* witness_of(const AuditFigures& figures, Witness name);

}  // namespace gradproof
