// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "reports/causes/causes.h"

namespace gradproof {

/// "y: 49151 of 49152 elements over the bound, up to 42700 times; d_x, d_weight follow, or are
/// wrong too"; of several Cases "y: 64 of 2112 elements over the bound, up to 9.5 times, in the
/// worst of 14 wrong Cases of 371".
std::string what_text(const Cause& cause);

/// The wrong part of a tensor: "64 of 2112 elements over the bound, up to 9.5 times", with those of
/// the wrong class; else the verdict's reason ("the bits differ under another schedule").
std::string amount_text(const Record& record);

/// The place of the wrong elements, by rows and columns: "all in column 32; rows 0 to 63 of 64,
/// columns 32 of 33", "every element"; empty if no element is named. Counts begin with 0.
std::string where_text(const Record& record);

/// The sentence gives the worst element: "y[0,32]: got -0.0123291016, want -0.0124015808"; it is
/// empty where no element is over its bound.
std::string worst_text(const Record& record);

/// The sentence says what follows from the order of computation: "every output is right: the
/// backward is at fault", "y is the first wrong tensor in the order of computation".
std::string order_text(const Cause& cause);

}  // namespace gradproof
