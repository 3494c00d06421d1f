// SPDX-License-Identifier: Apache-2.0
#include "cli/front/terminal/captured.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"

namespace gradproof {

Captured::Captured(std::FILE* stream) : stream_(stream) {
  std::fflush(stream_);
  kept_ = memfd_create("gradproof", MFD_CLOEXEC);
  before_ = fcntl(fileno(stream_), F_DUPFD_CLOEXEC, 0);
  if (kept_ < 0 || before_ < 0 || dup2(kept_, fileno(stream_)) < 0)
    throw InstrumentError(fmt::format("cannot keep what is printed: {}", std::strerror(errno)));
}

Captured::~Captured() {
  std::fflush(stream_);
  dup2(before_, fileno(stream_));
  close(before_);
  close(kept_);
}

std::string Captured::text() {
  std::fflush(stream_);
  struct stat file {};
  fstat(kept_, &file);
  std::string all(static_cast<std::size_t>(file.st_size), '\0');
  const ssize_t count = pread(kept_, all.data(), all.size(), 0);
  all.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return all;
}

}  // namespace gradproof
