// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gradproof {

/// Columns of text that goes to a file or a pipe.
inline constexpr std::size_t kTextWidth = 100;

/// The place of a text: its first line begins with `head`, the others with `hang` blanks, and none
/// is longer than `width` but for a word that is. Widths are in bytes.
struct TextFrame {
  std::string head;
  std::size_t hang = 0;
  std::size_t width = kTextWidth;
};

/// The text in lines that are broken at blanks, each with its line feed.
std::string filled(const TextFrame& frame, std::string_view text);

/// The text with each line broken by itself; a broken line goes on two columns further in.
std::string filled_lines(std::string_view text, std::size_t width);

/// A shell's command in lines that can be pasted as they are: all but the last end with a
/// backslash. A Case in quotes is broken at its own blanks, within double quotes, where a shell
/// takes a backslash and a line feed away and a Case may have any number of blanks.
std::string filled_command(const TextFrame& frame, const std::string& command);

/// The place of a block's field: "  where    " in front, all of its lines in the same column. An
/// indent of 0 is for lines that belong to no block.
TextFrame field_frame(std::string_view label, std::size_t width, std::size_t indent = 2);

/// The field in lines; empty if its text is empty.
std::string field_lines(const TextFrame& frame, std::string_view text);

}  // namespace gradproof
