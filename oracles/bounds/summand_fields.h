// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/graph/contract/error_bound.h"

namespace gradproof {

/// The request for the likely error of a sum (docs/likely.md). Standard deviations count `lambda`
/// times; with 0 only the certain bound is computed.
struct LikelySetting {
  double lambda = 0;
  double orders = 1;  ///< how many times what orders have in the mean counts for a single one
  /// A partial sum in the longest chain is at most `scale` times as large as one that is added
  /// here; it counts the lanes and blocks that this sum is a part of.
  double scale = 1;
};

constexpr LikelySetting likely_setting(ErrorBound bound, double scale) {
  return {deviations_of(bound), orders_of(bound), scale};
}

/// The properties of a sum's numbers beside their own errors.
struct SumSettings {
  double share = 1;  ///< a partial sum may hold so many sums of this size: its range is smaller
  /// The numbers are products of two factors each, which the hardware rounds first, each by at most
  /// so much of its size to nearest, or twice as much towards 0; 0: it takes them as they are.
  double of_factors = 0;
  /// The numbers are added in groups, and each is cut off where it is below so much of the largest
  /// one of its group; 0: an addition is rounded.
  double cut_off = 0;
  double promoted = 0;  ///< so many numbers are added so, then the sum begins anew; 0: all
};

/// The members of SummandStatistics as plain fields, which one compilation hands to another.
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
