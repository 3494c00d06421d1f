// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "properties/calibration/calibration.h"

namespace gradproof {

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// A number of the report's last line.
inline std::int64_t result_of(const CalibrationReport& report, const std::string& name) {
  for (const auto& [key, text] : report.result)
    if (key == name) return std::stoll(text);
  ADD_FAILURE() << "no " << name;
  return -1;
}

}  // namespace gradproof
