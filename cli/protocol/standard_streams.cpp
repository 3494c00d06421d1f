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
  // A message may quote a whole line of a file; nobody reads more of it than this.
  constexpr std::size_t kLongest = 8192;
  std::string line = printable(text.substr(0, kLongest));
  if (text.size() > kLongest)
    line += "... (" + std::to_string(text.size() - kLongest) + " more bytes)";
  line += "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace gradproof
