// SPDX-License-Identifier: Apache-2.0
#include "cli/process/paths.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <unistd.h>

namespace gradproof {

std::string program_directory() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::string worker_program(const std::string& asked) {
  return asked.empty() ? program_directory() + "/gradproof-worker" : asked;
}

std::string on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string found = folder + "/" + name; access(found.c_str(), X_OK) == 0)
      return found;
  return "";
}

}  // namespace gradproof
