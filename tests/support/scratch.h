// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace gradproof {

/// In the build tree, where presets do not meet, and the running test's own: ctest runs the tests
/// of one program side by side.
inline std::string scratch_path(const std::string& name) {
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) throw std::logic_error("scratch_path: not in a test");
  const std::string whose = std::string(test->test_suite_name()) + "." + test->name();
  return GRADPROOF_BIN_DIR "/../scratch/" + name + "-" +
         std::to_string(std::hash<std::string>()(whose));
}

/// The folder of that path, empty at the start.
inline std::string scratch_directory(const std::string& name) {
  const std::string path = scratch_path(name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

}  // namespace gradproof
