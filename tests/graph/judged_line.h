// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/graph/ran.h"

namespace gradproof {

/// The error that expect_judged() gives one element, relative to 1 + its size: in float32 and
/// float64, and in 16 bits.
struct OneOff {
  double wide = 0.25;
  double narrow = 0.25;
};

/// Expects that LibTorch is right in each type, that every element is judged, and that one that is
/// off is wrong.
inline void expect_judged(const std::string& line, const OneOff& off = {},
                          const std::vector<const char*>& types = {"f32", "f64", "bf16"}) {
  for (const char* type : types) {
    const Ran ran(line + " seed=7 dtype=" + type);
    const bool is_wide = unit_roundoff(ran.storage) <= unit_roundoff(DType::f32);
    for (const auto& [name, judged] : ran.judged()) {
      const Discrepancy& d = judged.discrepancy;
      EXPECT_EQ(d.bad, 0) << line << type << " " << name << " " << d.worst.got << " "
                          << d.worst.want;
      EXPECT_EQ(d.undecided + d.vacuous, 0) << line << type << " " << name;
      EXPECT_EQ(d.elements, ran.got.at(name).numel()) << line << type << " " << name;
      Ran wrong = ran;
      Tensor& t = wrong.got.at(name);
      const std::int64_t last = t.numel() - 1;
      const double by = is_wide ? off.wide : off.narrow;
      t.set(last, t.at(last) + by * (1 + std::abs(t.at(last))));
      EXPECT_EQ(wrong.judged().at(name).discrepancy.bad, 1) << line << type << " " << name;
    }
  }
}

/// A Case with other numbers in some tensors, and what LibTorch computes of these.
inline Ran ran_with(const std::string& line,
                    const std::map<std::string, std::vector<double>>& numbers) {
  Ran ran(line);
  for (const auto& [name, all] : numbers)
    for (std::size_t i = 0; i < all.size(); ++i)
      ran.inputs.at(name).set(static_cast<std::int64_t>(i), all[i]);
  ran.got = graph_in_libtorch(ran.graph, ran.inputs, types_of(ran.graph, ran.c));
  return ran;
}

/// The wrong elements of a tensor.
inline std::int64_t bad_in(const Ran& ran, const char* tensor) {
  return ran.judged().at(tensor).discrepancy.bad;
}

/// The error of a Case; empty where it runs.
inline std::string error_of_case(const std::string& line) {
  try {
    const Ran ran(line);
    ran.judged();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

inline void expect_error(const std::string& line, const std::string& part) {
  EXPECT_NE(error_of_case(line).find(part), std::string::npos)
      << line << "\n  " << error_of_case(line);
}

}  // namespace gradproof
