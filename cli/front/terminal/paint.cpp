// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/paint.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <regex>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/front/terminal/width.h"
#include "core/printable.h"
#include "reports/text/wrap.h"

namespace gradproof {
namespace {

constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kPlain = "\x1b[0m";

struct Paint {
  std::string_view words;
  std::string_view colour;
};

/// The words that lines of verdicts start with, and their colours.
constexpr std::array kPaints{Paint{"FAILED", kRed},
                             Paint{"WRONG", kRed},
                             Paint{"CRASHED", kRed},
                             Paint{"TIMED OUT", kRed},
                             Paint{"REGRESSED", kRed},
                             Paint{"NONDETERMINISTIC", kRed},
                             Paint{"INSTRUMENT BROKEN", kRed},
                             Paint{"wrong", kRed},
                             Paint{"regressed", kRed},
                             Paint{"missing", kRed},
                             Paint{"not ready", kRed},
                             Paint{"MISTRUSTED", kYellow},
                             Paint{"INCOMPLETE", kYellow},
                             Paint{"incomplete", kYellow},
                             Paint{"inconclusive", kYellow},
                             Paint{"skipped", kYellow},
                             Paint{"known failure", kYellow},
                             Paint{"unexpected pass", kRed},
                             Paint{"passed", kGreen},
                             Paint{"certified", kGreen},
                             Paint{"improved", kGreen},
                             Paint{"ok", kGreen},
                             Paint{"ready", kGreen}};

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

std::string in_colour(std::string_view text, std::string_view colour) {
  return fmt::format("{}{}{}", colour, text, kPlain);
}

/// The colour of a table's cell: "8 of 24 WRONG", "3 of 9 open", "895 ok".
std::string_view colour_of_cell(const std::string& cell) {
  static const std::regex kWrong("\\d+ of \\d+ WRONG"), kOpen("\\d+ of \\d+ open"),
      kGood("\\d+ ok(, \\d+ known)?");
  if (std::regex_match(cell, kWrong)) return kRed;
  if (std::regex_match(cell, kOpen)) return kYellow;
  return std::regex_match(cell, kGood) ? kGreen : std::string_view();
}

/// The line with coloured cells, which are divided by two blanks or more.
std::string with_painted_cells(const std::string& line) {
  std::string text;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find("  ", at), line.size());
    const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
    const std::string cell = line.substr(at, end - at);
    const std::string_view colour = colour_of_cell(cell);
    text += colour.empty() ? cell : in_colour(cell, colour);
    text.append(next - end, ' ');
    at = next;
  }
  return text;
}

}  // namespace

bool wants_colour(int descriptor) {
  if (is_set("FORCE_COLOR")) return true;
  if (is_set("NO_COLOR")) return false;
  const char* const terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string painted(const std::string& line) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == std::string::npos || line.starts_with("RESULT ")) return line;
  const std::string_view text = std::string_view(line).substr(start);
  for (const Paint& paint : kPaints) {
    const std::string_view behind = text.substr(std::min(paint.words.size(), text.size()));
    if (!text.starts_with(paint.words) || (!behind.empty() && behind[0] != ' ' && behind[0] != ':'))
      continue;
    return fmt::format("{}{}{}", line.substr(0, start), in_colour(paint.words, paint.colour),
                       behind);
  }
  return with_painted_cells(line);
}

void say(std::string_view lines) {
  const bool coloured = wants_colour(STDOUT_FILENO);
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const std::string line = printable(lines.substr(0, end));
    fmt::print("{}\n", coloured ? painted(line) : line);
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
}

void say_filled(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    if (line.starts_with("RESULT "))
      say(line);
    else
      say(filled_lines(std::string(line) + "\n", output_width()));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

}  // namespace gradproof
