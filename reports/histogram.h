// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace gradproof {

/// Counts of error/bound as core/compare/discrepancy.h has them.
using Histogram = std::array<std::int64_t, 16>;

/// "0: 12  <=2^-9: 100  <=1: 2048 | <=2: 3  >16: 1": the bins that hold something; behind the bar
/// is what is over the bound.
std::string histogram_text(const Histogram& histogram);

/// One sign for each bin, a space before those over the bound: "." for none, else how many decimal
/// digits the count has: "3.....1134434 11...".
std::string histogram_digits(const Histogram& histogram);

}  // namespace gradproof
