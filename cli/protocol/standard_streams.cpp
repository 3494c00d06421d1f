// SPDX-License-Identifier: Apache-2.0
#include "cli/protocol/standard_streams.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "core/printable.h"

namespace gradproof {
namespace {

/// Tabs, which printable() leaves to tables, are quoted from what somebody wrote.
std::string in_one_line(std::string_view text) {
  std::string line;
  for (const char c : printable(text)) line += c == '\t' ? std::string("\\t") : std::string(1, c);
  return line;
}

/// The place itself, or that of the character whose bytes it stands within.
std::size_t start_of_character(std::string_view text, std::size_t place) {
  const auto is_within = [&] { return (static_cast<unsigned char>(text[place]) & 0xC0) == 0x80; };
  while (place > 0 && is_within()) --place;
  return place;
}

}  // namespace

void hold_standard_streams() {
  // Each for the wrong direction, so that its use is the same error as that of a closed one.
  constexpr std::array kUseless{O_WRONLY, O_RDONLY, O_RDONLY};
  for (int descriptor = 0; descriptor < static_cast<int>(kUseless.size()); ++descriptor)
    if (fcntl(descriptor, F_GETFD) == -1)  // the lowest that is free, so open() returns it
      open("/dev/null", kUseless[static_cast<std::size_t>(descriptor)]);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw std::system_error(errno, std::generic_category(), "cannot write standard output");
}

void complain(std::string_view text) {
  // A message may quote a whole line of a file, or a Case as long, and nobody reads more of it than
  // this. What it says of the quotation stands before it or behind.
  constexpr std::size_t kFront = 700;
  constexpr std::size_t kBack = 300;
  std::string line = in_one_line(text);
  if (text.size() > kFront + kBack) {
    const std::string_view front = text.substr(0, start_of_character(text, kFront));
    const std::string_view back = text.substr(start_of_character(text, text.size() - kBack));
    line = in_one_line(front) + "... (" + std::to_string(text.size() - front.size() - back.size()) +
           " more bytes) ..." + in_one_line(back);
  }
  line += "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace gradproof
