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

/// The aligned lines within `width` columns: where the rows are wider, the widest columns become
/// narrower and their cells go on in lines beneath, broken at blanks. No word is broken, so a table
/// of long words may still be wider.
std::vector<std::string> fitted(const std::vector<TextRow>& rows, std::size_t width);
/// The fitted lines, those of each row by themselves.
std::vector<std::vector<std::string>> fitted_rows(const std::vector<TextRow>& rows,
                                                  std::size_t width);

/// The fitted lines after columns that say least were left out: those of these heads, one after the
/// other, until the table fits.
std::vector<std::string> fitted_without(std::vector<TextRow> rows, std::size_t width,
                                        const TextRow& least_heads);

/// True if `fitted` would break no cell.
bool fits(const std::vector<TextRow>& rows, std::size_t width);

/// The table without the columns of these heads.
std::vector<TextRow> without_columns(const std::vector<TextRow>& rows, const TextRow& heads);

/// Text that can stand in a cell of markdown: a bar would end it.
std::string markdown_cell(const std::string& text);

/// The rows as a table of markdown; the first row is its head.
std::string markdown_table(const std::vector<TextRow>& rows);

}  // namespace gradproof
