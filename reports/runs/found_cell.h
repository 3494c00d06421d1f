// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace gradproof {

/// The findings of one cell of a verb that is cut into cells: a line of its run's file.
struct FoundCell {
  std::string cell;
  std::string found;  ///< in the words of the verb, which alone reads them
};

/// A sealed line without a line feed, and back. Throws InstrumentError for what is no such line,
/// whose checksum it leaves to require_seal().
std::string cell_line(const FoundCell& cell);
FoundCell read_cell(std::string_view line);

}  // namespace gradproof
