// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace gradproof {

Progress::Progress(std::size_t total) : total_(total), terminal_(isatty(STDOUT_FILENO) == 1) {}

void Progress::show(std::size_t done, std::size_t tensors) {
  note(fmt::format("{}/{} cases, {} tensors", done, total_, tensors));
}

void Progress::note(const std::string& text) {
  if (!terminal_) return;
  clear();
  fmt::print("{}", text);
  std::fflush(stdout);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print("\r\x1b[K");  // back to column 1, erase to the end
  shown_ = false;
}

}  // namespace gradproof
