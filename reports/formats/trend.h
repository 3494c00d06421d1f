// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "reports/runs/store.h"

namespace gradproof {

/// One run of check among others of the same plan.
struct TrendPoint {
  std::string run;
  std::string started;  ///< UTC
  std::string commit;
  std::int64_t tensors = 0;
  std::int64_t wrong = 0;
  double seconds = 0;                       ///< of its Cases together
  std::map<std::string, double> max_ratio;  ///< by kernel, mutants apart: the largest error/bound
};

/// Runs of one plan, the oldest in front, and what was left out.
struct Trend {
  std::vector<TrendPoint> points;
  std::vector<std::string> left_out;  ///< "3 runs of other plans"
};

/// Whole runs of check in the folders that have the plan and the context of `shown`. Runs of other
/// plans or contexts, and incomplete ones, are counted as left out.
Trend trend_of(const std::vector<std::string>& folders, const RunHeader& shown);

}  // namespace gradproof
