// SPDX-License-Identifier: Apache-2.0
#include "core/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"

namespace gradproof {
namespace {

/// The name under which the whole file replaces the old one; empty where nothing can be replaced. A
/// pipe cannot be replaced, and /dev/null must not be. The file that /proc/self/fd/5 points to may
/// have no name.
std::filesystem::path replaced(const std::string& path) {
  std::error_code failed;
  const auto named = std::filesystem::weakly_canonical(path, failed);
  if (named.empty() || !std::filesystem::exists(path, failed)) return named;
  return std::filesystem::is_regular_file(path, failed) &&
                 std::filesystem::equivalent(path, named, failed)
             ? named
             : std::filesystem::path();
}

bool written(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream stream(path, std::ios::binary);
  write(stream);
  stream.close();
  return static_cast<bool>(stream);
}

}  // namespace

void write_whole_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  const std::string whole = replaced(path).string();
  const std::string begun = whole.empty() ? path : fmt::format("{}.{}", whole, getpid());
  if (written(begun, write) && (whole.empty() || std::rename(begun.c_str(), whole.c_str()) == 0))
    return;
  const int error = errno;
  if (!whole.empty()) std::remove(begun.c_str());
  throw InstrumentError(fmt::format("cannot write '{}': {}", path, std::strerror(error)));
}

}  // namespace gradproof
