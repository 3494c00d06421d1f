// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/width.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include <sys/ioctl.h>
#include <unistd.h>

#include "reports/text/wrap.h"

namespace gradproof {
namespace {

constexpr std::size_t kLeast = 40;
constexpr std::size_t kUnknownTerminal = 80;

std::optional<std::size_t> columns_of_environment() {
  const char* const text = std::getenv("COLUMNS");
  if (text == nullptr) return std::nullopt;
  std::size_t columns = 0;
  const char* const end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, columns);
  if (read.ec != std::errc() || read.ptr != end || columns == 0) return std::nullopt;
  return columns;
}

}  // namespace

std::size_t text_width(int descriptor) {
  winsize size{};
  const bool is_known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  if (is_known) return std::max<std::size_t>(kLeast, size.ws_col);
  if (const auto said = columns_of_environment()) return std::max(kLeast, *said);
  return isatty(descriptor) == 1 ? kUnknownTerminal : kTextWidth;
}

std::size_t output_width() { return text_width(STDOUT_FILENO); }

std::size_t evidence_width(bool verbose) {
  const bool is_whole = verbose && isatty(STDOUT_FILENO) == 0;
  return is_whole ? std::numeric_limits<std::size_t>::max() : output_width();
}

}  // namespace gradproof
