// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace gradproof {

using TextRow = std::vector<std::string>;

/// One line for each row, the cells of a column as wide as its widest, two blanks between; no
/// blanks at the end. All rows are as long as the first.
std::vector<std::string> aligned(const std::vector<TextRow>& rows);

/// The same within `width` columns: where the rows are wider, the widest columns become narrower
/// and their cells go on in lines beneath, broken at blanks. No word is broken, so a table of long
/// words may still be wider.
std::vector<std::string> fitted(const std::vector<TextRow>& rows, std::size_t width);
/// The same, the lines of each row by themselves.
std::vector<std::vector<std::string>> fitted_rows(const std::vector<TextRow>& rows,
                                                  std::size_t width);

/// The same where columns that say least go first: those of these heads, one after the other, until
/// the table fits.
std::vector<std::string> fitted_without(std::vector<TextRow> rows, std::size_t width,
                                        const TextRow& least_heads);

/// Whether `fitted` would break no cell.
bool fits(const std::vector<TextRow>& rows, std::size_t width);

/// The table without the columns of these heads.
std::vector<TextRow> without_columns(const std::vector<TextRow>& rows, const TextRow& heads);

/// Text that can stand in a cell of markdown: a bar would end it.
std::string markdown_cell(const std::string& text);

/// The same as a table of markdown; the first row is its head.
std::string markdown_table(const std::vector<TextRow>& rows);

}  // namespace gradproof
