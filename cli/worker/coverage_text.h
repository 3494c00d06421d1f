// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "properties/coverage/covering.h"

namespace gradproof {

/// The counts by gcov of a kernel's code: the lines and branches reached, of those there are.
struct Reached {
  std::int64_t lines = 0, all_lines = 0, branches = 0, all_branches = 0;
};

/// The counts by kernel and types, "swish_bias f16".
using ReachedCode = std::map<std::string, Reached>;

/// The counts in the file that scripts/coverage wrote; empty if there is no file.
ReachedCode read_reached(const std::string& path);

/// A row of the table: a kernel for one combination of types.
struct CoverageRow {
  std::string kernel, types;
  int together = 0;       ///< so many classes at most are wanted together
  std::size_t cases = 0;  ///< of the suite
  std::size_t levels = 0;
  std::size_t possible = 0, covered = 0, excused = 0, impossible = 0, too_large = 0;
  std::vector<std::string> missing;
};

CoverageRow coverage_row(const std::string& kernel, const std::string& types, std::size_t cases,
                         const Covering& covering);

/// The table, the names of what is missing (of several rows only the first ones) and a last line of
/// sums; or a JSON line a row and the sums.
std::vector<std::string> coverage_lines(const std::vector<CoverageRow>& rows,
                                        const ReachedCode& reached, bool json);

}  // namespace gradproof
