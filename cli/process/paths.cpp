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

std::string lab_program(const std::string& asked) {
  return asked.empty() ? program_directory() + "/gradproof-lab" : asked;
}

bool is_program(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

std::string on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string found = folder + "/" + name; is_program(found)) return found;
  return "";
}

}  // namespace gradproof
