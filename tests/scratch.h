// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include <unistd.h>

namespace gradproof {

/// Of this process alone: tests run side by side, and so do presets.
inline std::string scratch_path(const std::string& name) {
  const std::string folder = "gradproof-test-" + name + "-" + std::to_string(getpid());
  return std::filesystem::temp_directory_path() / folder;
}

/// The folder of that path, empty at the start.
inline std::string scratch_directory(const std::string& name) {
  const std::string path = scratch_path(name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

}  // namespace gradproof
