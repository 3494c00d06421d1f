// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "reports/causes/causes.h"

namespace gradproof {

/// "y: 49151 of 49152 elements over the bound, up to 42700 times; d_x, d_weight follow, or are
/// wrong too"; of several Cases "y: 14 of 371 Cases are wrong, the worst in 64 of 2112 elements
/// over the bound, up to 9.5 times".
std::string what_text(const Cause& cause);

/// How much of a tensor is wrong: "64 of 2112 elements over the bound, up to 9.5 times", with those
/// of the wrong class; else the verdict's own reason ("the bits differ under another schedule").
std::string amount_text(const Record& record);

/// Where a tensor is wrong, by rows and columns: "all in column 32; rows 0 to 63 of 64, columns 32
/// of 33", "every element"; empty where no element is named. Counts begin with 0.
std::string where_text(const Record& record);

/// The function says what follows from the order of computation: "every output is right: the
/// backward is at fault", "y is the first wrong tensor in the order of computation: d_x is computed
/// behind it".
std::string order_text(const Cause& cause);

}  // namespace gradproof
