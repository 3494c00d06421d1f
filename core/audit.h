// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace gradproof {

/// One point of the step sweep: the worst relative error over the sampled entries.
struct SweepPoint {
  int log2_step = 0;
  double error = 0;
};

/// One gradient tensor against central differences of the value at 50 digits.
struct AuditRow {
  std::string tensor;  ///< d_x, d_weight, ...
  Shape shape;
  std::int64_t entries = 0;  ///< all of them are audited
  double digits = 0;         ///< -log10 of the worst error relative to the largest |gradient|
  double median_digits = 0;
  std::int64_t worst_index = 0;
  double worst_difference = 0;  ///< the finite difference there
  double worst_adjoint = 0;     ///< the adjoint there
  int order = 4;                ///< of the central difference
  int log2_step = 0;            ///< the step taken, a power of two: x+-h is exact
  std::vector<SweepPoint> sweep;
  std::string verdict;  ///< certified, wrong, inconclusive
  std::string reason;
};

}  // namespace gradproof
