// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include "core/compare/record.h"
#include "reports/text/commands.h"

namespace gradproof {

/// The one line of a pass, or the message of anything else; its last line is the replay command
/// (skips apart, which a rerun would only repeat). Always got, then want. Ends without a line feed.
///
///     passed  K d_x  max 0.81 of bound  p99 0.22  1.9 ulp at [17,3]  resolves 3e-07 (median 1e-06)
///       why: two-pass, 32 lanes        (on the same line)
///     FAILED  K d_x  64 of 2112 elements (3.0%) over the bound   why: ...
///       worst [0,32]  got -0.0123 (-0x1.94p-7)  want -0.0124  error/bound 9.5  ulp 77600
///       good  [0,29]..[0,31]   bad [0,32] [1,32] ... [63,32]   all in column 32
///       worst columns   32: 9.5, 64 bad   17: 0.81
///       error/bound  <=2^-7: 2048 | <=16: 64
///       replay: gradproof replay 'K rows=64 cols=33 seed=7'
std::string evidence(const Record& record, const Commands& commands = {});

/// The evidence in lines that are broken at the width, each with its line feed.
std::string evidence_lines(const Record& record, const Commands& commands, std::size_t width);

/// The worst element's numbers as text: what the kernel gave and the truth, with so many digits
/// that they differ where the numbers do.
std::pair<std::string, std::string> got_and_want(const Record& record);

/// A reason may be what somebody's code says of itself, without end: so much of it as a page can
/// take; the record has all.
std::string shown_reason(const std::string& reason);

/// "no gradient came back for bias, and 0 was judged: " of a tensor that is over its bound; empty
/// where its numbers say all that is known.
std::string own_reason(const Record& record);

}  // namespace gradproof
