// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/graph/contract/error_bound.h"

namespace gradproof {

/// How the likely error of a sum is asked for (docs/likely.md). Standard deviations count `lambda`
/// times; 0 leaves the certain bound alone.
struct LikelySetting {
  double lambda = 0;
  double orders = 1;  ///< how many times what orders have in the mean counts for a single one
  /// A partial sum in the longest chain is at most so many times as large as one that is added
  /// here: the lanes and blocks that this sum is a part of.
  double scale = 1;
};

constexpr LikelySetting likely_setting(ErrorBound bound, double scale) {
  return {deviations_of(bound), orders_of(bound), scale};
}

/// What SummandStatistics knows of a sum, where one compilation hands it to another.
struct SummandFields {
  LikelySetting setting;
  double count = 0;
  double parts = 0;
  double squares = 0;
  double steps = 0;
  double repeats = 0;
  double stagnant = 0;
};

}  // namespace gradproof
