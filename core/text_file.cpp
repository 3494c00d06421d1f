// SPDX-License-Identifier: Apache-2.0
#include "core/text_file.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"

namespace gradproof {
namespace {

UsageError cannot_read(const std::string& path, int error) {
  return UsageError(fmt::format("cannot read '{}': {}", path, std::strerror(error)));
}

}  // namespace

TextFile::TextFile(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw cannot_read(path, errno);
}

TextFile::~TextFile() { close(descriptor_); }

bool TextFile::read_more() {
  std::array<char, 65536> bytes;
  ssize_t count = 0;
  do count = read(descriptor_, bytes.data(), bytes.size());
  while (count < 0 && errno == EINTR);
  if (count < 0) throw cannot_read(path_, errno);
  read_ += count;
  if (read_ > kLongestFile)
    throw UsageError(
        fmt::format("cannot read '{}': it has over {} GiB", path_, kLongestFile >> 30));
  lines_.append({bytes.data(), static_cast<std::size_t>(count)});
  return count > 0;
}

std::optional<std::string> TextFile::next() {
  if (torn_) return std::nullopt;
  ++number_;
  while (true) {
    if (auto line = lines_.next()) return line;
    if (lines_.rest().size() > kLongestLine)
      throw UsageError(fmt::format("cannot read '{}': line {} has over {} MiB", path_, number_,
                                   kLongestLine >> 20));
    if (read_more()) continue;
    torn_ = true;
    return lines_.rest().empty() ? std::nullopt : std::optional(lines_.rest());
  }
}

}  // namespace gradproof
