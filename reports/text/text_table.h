// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gradproof {

using TextRow = std::vector<std::string>;

/// One line for each row, the cells of a column as wide as its widest, two blanks between; no
/// blanks at the end. All rows are as long as the first.
std::vector<std::string> aligned(const std::vector<TextRow>& rows);

/// Text that can stand in a cell of markdown: a bar would end it.
std::string markdown_cell(const std::string& text);

/// The same as a table of markdown; the first row is its head.
std::string markdown_table(const std::vector<TextRow>& rows);

}  // namespace gradproof
