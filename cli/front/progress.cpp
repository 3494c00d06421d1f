// SPDX-License-Identifier: Apache-2.0
#include "cli/front/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/protocol/standard_streams.h"

namespace gradproof {

Progress::Progress(std::size_t total) : total_(total), terminal_(isatty(STDOUT_FILENO) == 1) {}

void Progress::show(std::size_t done, std::size_t tensors) {
  note(fmt::format("{}/{} cases, {} tensors", done, total_, tensors));
}

void Progress::note(const std::string& text) {
  if (!terminal_) return;
  clear();
  fmt::print("{}", text);
  flush_output();
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stdout);  // back to column 1, erase to the end; throws nothing
  shown_ = false;
}

}  // namespace gradproof
