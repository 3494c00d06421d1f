// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/paint.h"

#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "core/printable.h"

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

/// What lines of verdicts start with.
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

}  // namespace

bool wants_colour(int descriptor) {
  if (is_set("FORCE_COLOR")) return true;
  if (is_set("NO_COLOR")) return false;
  const char* const terminal = std::getenv("TERM");
  return isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string painted(const std::string& line) {
  const std::size_t start = line.find_first_not_of(' ');
  if (start == std::string::npos) return line;
  const std::string_view text = std::string_view(line).substr(start);
  for (const Paint& paint : kPaints) {
    const std::string_view behind = text.substr(std::min(paint.words.size(), text.size()));
    if (!text.starts_with(paint.words) || (!behind.empty() && behind[0] != ' ' && behind[0] != ':'))
      continue;
    return fmt::format("{}{}{}{}{}", line.substr(0, start), paint.colour, paint.words, kPlain,
                       behind);
  }
  return line;
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

}  // namespace gradproof
