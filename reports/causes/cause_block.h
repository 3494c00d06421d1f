// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "reports/causes/causes.h"
#include "reports/text/commands.h"

namespace gradproof {

/// The headline, which says what is wrong and how much: "FAILED  K y: 64 of 2112 elements over the
/// bound, up to 9.5 times; d_x follows, or is wrong too".
std::string cause_headline(const Cause& cause, std::size_t width);

/// The lines about the place, the reason, the worst element, and what else is wrong, two columns
/// in. `diagnosis` is what an audit says, or empty.
std::string cause_details(const Cause& cause, const std::string& diagnosis, std::size_t width);

/// The bound by which the first wrong tensor is judged, two columns in; a table of the Case has it
/// in front of its rows. Empty if the Record does not say it.
std::string cause_bound(const Cause& cause, std::size_t width);

/// The commands that ask more, which can be pasted as they stand.
std::string cause_commands(const Cause& cause, const Commands& commands, std::size_t width);

/// The whole block: the headline, a table of the wrong tensors of the most severe Case, the
/// details, the bound, the commands.
std::string cause_block(const Cause& cause, const Commands& commands, std::size_t width,
                        const std::string& diagnosis = "");

/// The text of one Case: its table (reports/text/case_table.h), and the cause if something is
/// wrong. Empty if there is no Record.
std::string judged_case_text(const std::vector<Record>& records, const Commands& commands,
                             std::size_t width);

}  // namespace gradproof
