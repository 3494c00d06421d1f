// SPDX-License-Identifier: Apache-2.0
#include "cli/process/shared_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/error.h"

namespace gradproof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "gradproof-serve-";

/// The lock of a folder that nobody else has; -1 where somebody has it, or it is another user's.
int lock_of(const std::string& path, int kind) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return -1;
  std::error_code error;
  // Who looked for abandoned folders may have removed it before it was locked.
  if (flock(descriptor, kind | LOCK_NB) == 0 && fs::exists(path, error)) return descriptor;
  close(descriptor);
  return -1;
}

void remove_abandoned(const std::string& within) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(within, error)) {
    const std::string path = entry.path();
    if (!entry.path().filename().string().starts_with(kName)) continue;
    const int lock = lock_of(path, LOCK_EX);
    if (lock < 0) continue;
    std::error_code left;  // what cannot be removed is for its owner
    fs::remove_all(path, left);
    close(lock);
  }
}

}  // namespace

SharedFolder::SharedFolder(const std::string& within) {
  remove_abandoned(within);
  constexpr int kTries = 3;  // of a folder that is taken for an abandoned one as it is made
  for (int k = 0; k < kTries && lock_ < 0; ++k) {
    path_ = fmt::format("{}/{}XXXXXX", within, kName);
    if (mkdtemp(path_.data()) == nullptr)
      throw InstrumentError(
          fmt::format("cannot make a folder in '{}': {}", within, std::strerror(errno)));
    lock_ = lock_of(path_, LOCK_SH);  // the program at the other end has it too
  }
  if (lock_ < 0) throw InstrumentError(fmt::format("cannot lock '{}'", path_));
}

SharedFolder::~SharedFolder() {
  std::error_code left;
  fs::remove_all(path_, left);
  close(lock_);
}

std::vector<std::string> places_of_shared_folders() {
  std::error_code error;
  std::string temporary = fs::temp_directory_path(error);
  if (error) temporary = "/tmp";
  constexpr const char* kMemory = "/dev/shm";
  if (access(kMemory, R_OK | W_OK | X_OK) != 0 || temporary == kMemory) return {temporary};
  return {kMemory, temporary};
}

}  // namespace gradproof
