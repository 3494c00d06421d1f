// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace gradproof {

/// In the build tree: presets do not meet. Tests run side by side, so the name is one test's own.
inline std::string scratch_path(const std::string& name) {
  return GRADPROOF_BIN_DIR "/../scratch/" + name;
}

/// The folder of that path, empty at the start.
inline std::string scratch_directory(const std::string& name) {
  const std::string path = scratch_path(name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

}  // namespace gradproof
