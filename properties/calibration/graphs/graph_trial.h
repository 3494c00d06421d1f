// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "properties/calibration/cells.h"

namespace gradproof {

/// A tensor of a Case that no bound permits.
struct Suspect {
  std::string tensor;
  std::string case_text;
  std::string line;
  bool is_nan_alone = false;  ///< all that is wrong is NaN

  /// True if the NaN are a product's and LibTorch has none of them without oneDNN. A product of
  /// bfloat16 numbers by AMX's tiles reads past the end of a row where its length is no multiple of
  /// 32, and multiplies the next row's numbers with zeros: of an infinity there it makes a NaN
  /// (uxlfoundation/oneDNN#5717). No other thread may compute meanwhile.
  bool is_of_onednn(const CalibrationPlan& plan) const;
};

/// Joins both reaches: the larger ratio and bound, and the sum of `loose`.
void widen(StageReach& into, const StageReach& other);

/// Draws the Case of a number, judges LibTorch on it, plants a fault in every fourth one, and
/// counts what was found.
void try_graph(const CalibrationPlan& plan, std::uint64_t number, GraphTally& tally,
               std::vector<Suspect>& suspects);

}  // namespace gradproof
