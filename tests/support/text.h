// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <gtest/gtest.h>

/// Helpers of tests that look into a text or change it.
namespace gradproof {

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The text as it was before its lines were cut to a width, with one blank where there were
/// several.
inline std::string in_one_line(const std::string& text) {
  std::string joined;
  for (const char c : text) {
    const char next = c == '\n' ? ' ' : c;
    if (next == ' ' && joined.ends_with(" \\")) joined.pop_back();  // a command goes on
    if (next != ' ' || !joined.ends_with(' ')) joined += next;
  }
  return joined;
}

/// The command of a block's field, "  replay   COMMAND" with all its lines; it must be there.
inline std::string command_in(const std::string& text, const std::string& field) {
  const std::string start = "\n  " + field + " ";
  const std::size_t at = text.find(start);
  EXPECT_NE(at, std::string::npos) << field << " in\n" << text;
  if (at == std::string::npos) return "";
  const std::size_t first = text.find_first_not_of(' ', at + start.size());
  std::size_t end = text.find('\n', first);
  while (text[end - 1] == '\\') end = text.find('\n', end + 1);
  return text.substr(first, end - first);
}

/// The text with the first `from` replaced, which must be there.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace gradproof
