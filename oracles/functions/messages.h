// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace gradproof {

/// "domain: log has no finite value within 2^-20", or where it has none at x itself without that.
std::string outside_text(const char* operation, bool at_x, double move);

/// "kink: comparison 3 of the value turns within 2^-20", from the outcomes at x and with the move.
std::string turning_text(const std::vector<char>& before, const std::vector<char>& after,
                         double move);

/// "domain: dual numbers have no finite derivative", where they are what is claimed.
std::string undefined_text();

/// UsageError.
[[noreturn]] void throw_other_outputs(std::size_t before, std::size_t now);

}  // namespace gradproof
