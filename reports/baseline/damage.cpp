// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/damage.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace gradproof {
namespace {

constexpr const char* kByteOrderMark = "\xEF\xBB\xBF";
/// UTF-16, as some shells write what is redirected into a file.
constexpr const char* kWide = "\xFF\xFE";

bool is_conflict(const std::string& line) {
  return line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") || line == "=======" ||
         line.starts_with("||||||| ");
}

}  // namespace

std::string damage_of(const std::string& text, const std::string& file) {
  if (text.starts_with(kByteOrderMark) || text.starts_with(kWide))
    return fmt::format(
        "{0}:1: an editor or a shell put a byte order mark in front; `git checkout -- {0}` brings "
        "the file back",
        file);
  std::istringstream lines(text);
  std::int64_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (is_conflict(line))
      return fmt::format(
          "{0}:{1}: a conflict marker of git; lines of two baselines make no baseline: take either "
          "whole (`git checkout --ours -- {0}`, or --theirs), then `gradproof baseline update`",
          file, number);
    if (line.ends_with('\r'))
      return fmt::format(
          "{0}:{1}: the line ends with CR LF; put `*.baseline -text` into .gitattributes and "
          "`git checkout -- {0}`",
          file, number);
  }
  return "";
}

}  // namespace gradproof
