// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace gradproof {

/// "domain: log has no finite value within 2^-20"; with `at_x`, without the distance.
std::string outside_text(const char* operation, bool at_x, double move);

/// "kink: comparison 3 of the value turns within 2^-20", from the outcomes at x and with the move.
std::string turning_text(const std::vector<char>& before, const std::vector<char>& after,
                         double move);

/// "domain: dual numbers have no finite derivative", if the audited gradient is that of dual
/// numbers.
std::string undefined_text();

/// Throws UsageError: value() returned `before` outputs, then `now`.
[[noreturn]] void throw_other_outputs(std::size_t before, std::size_t now);

}  // namespace gradproof
