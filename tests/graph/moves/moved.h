// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/graph/ran.h"

namespace gradproof {

/// Expects that LibTorch is right in each type, that every element is judged, and that one that is
/// off is wrong.
inline void expect_moved(const std::string& line) {
  for (const char* type : {"f32", "f64", "bf16"}) {
    const Ran ran(line + " seed=7 dtype=" + type);
    for (const auto& [name, judged] : ran.judged()) {
      const Discrepancy& d = judged.discrepancy;
      EXPECT_EQ(d.bad, 0) << line << type << " " << name << " " << d.worst.got << " "
                          << d.worst.want;
      EXPECT_EQ(d.undecided + d.vacuous, 0) << line << type << " " << name;
      EXPECT_EQ(d.elements, ran.got.at(name).numel()) << line << type << " " << name;
      Ran wrong = ran;
      Tensor& t = wrong.got.at(name);
      const std::int64_t last = t.numel() - 1;
      t.set(last, t.at(last) + 0.25 * (1 + std::abs(t.at(last))));
      EXPECT_EQ(wrong.judged().at(name).discrepancy.bad, 1) << line << type << " " << name;
    }
  }
}

/// The error of a Case; empty where it runs.
inline std::string error_of_moved(const std::string& line) {
  try {
    const Ran ran(line);
    ran.judged();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

inline void expect_error(const std::string& line, const std::string& part) {
  EXPECT_NE(error_of_moved(line).find(part), std::string::npos)
      << line << "\n  " << error_of_moved(line);
}

}  // namespace gradproof
