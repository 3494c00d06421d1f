// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "reports/causes/causes.h"
#include "reports/text/commands.h"

namespace gradproof {

/// What is wrong and how much: "FAILED  K y: 64 of 2112 elements over the bound, up to 9.5 times;
/// d_x follows, or is wrong too".
std::string cause_headline(const Cause& cause, std::size_t width);

/// Where, why, what the worst element is, and what is wrong besides, a line or more for each, two
/// columns in. `diagnosis`: what an audit says, or empty.
std::string cause_details(const Cause& cause, const std::string& diagnosis, std::size_t width);

/// By what bound the first wrong tensor is judged, two columns in: what a table of the Case says in
/// front of its rows. Empty where that is not said.
std::string cause_bound(const Cause& cause, std::size_t width);

/// The commands that ask more, which can be pasted as they stand.
std::string cause_commands(const Cause& cause, const Commands& commands, std::size_t width);

/// All of it: the headline, a table of the wrong tensors of the most severe Case, the bound, the
/// details, the commands.
std::string cause_block(const Cause& cause, const Commands& commands, std::size_t width,
                        const std::string& diagnosis = "");

/// One Case: its table (reports/text/case_table.h), and where something is wrong the cause behind
/// it. Empty where there is no Record.
std::string judged_case_text(const std::vector<Record>& records, const Commands& commands,
                             std::size_t width);

}  // namespace gradproof
