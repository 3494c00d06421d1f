// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "properties/calibration/subject.h"

namespace gradproof {

/// The smallest relative changes that the bound still convicts in one tensor of a correct result,
/// found by bisection; infinite where none up to 2^20 is.
struct Smallest {
  double best = 0;    ///< of the element with the smallest bound for its size
  double median = 0;  ///< of the element that half of all are more sensitive than
  double column = 0;  ///< of the middle column, one factor for all; of a vector the whole of it
};
Smallest smallest_faults(const CalibrationResult& result, const std::string& tensor);

/// The largest number of summands, a power of two, of which one left out is convicted in most of
/// some tries; 0: none. Of the statistics of a unit, and of the gradients over the rows.
struct Largest {
  std::int64_t statistics = 0;
  std::int64_t gradients = 0;
};
Largest largest_sums(const Catalog& catalog, const SchemaPtr& schema, const std::string& dtype,
                     std::uint64_t seed);

}  // namespace gradproof
