// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/graph/plan/plan.h"

namespace gradproof {

/// The sums of products of a convolution in a block. Between a narrow value (that of conv, x of
/// conv_transpose) and a wide one there are three of them, whichever of the values is given:
///
///   narrow[n,o,i] = sum over c, t of wide[n,c,i stride - padding + t dilation] weight[o,c,t]
///   wide[n,c,p] = sum over o, t of narrow[n,o,i] weight[o,c,t], i stride = p + padding - t
///   dilation weight[o,c,t] = sum over n, i of narrow[n,o,i] wide[n,c,i stride - padding + t
///   dilation]
///
/// Places are linear in i, p and t where the wide value is laid out with zeros around it, and the
/// narrow one with stride - 1 zeros between its numbers. The zeros are no terms.
class Convolution {
 public:
  /// Throws UsageError for channels that do not fit their groups.
  Convolution(const GraphStep& step, const PlanValue& first, const PlanValue& second,
              const PlanValue& value);

  /// Returns the sums of the value, of the gradient of x and of that of the weight.
  std::vector<SumsOfProducts> sums() const;

 private:
  /// Numbers along one axis of windows.
  struct Slid {
    std::int64_t wide;
    std::int64_t narrow;
    std::int64_t taps;
    std::int64_t stride;
    std::int64_t padding;
    std::int64_t dilation;
  };

  /// The most taps in which a number of the wide value lies.
  std::int64_t taps_of_number() const;
  SumsOfProducts of_narrow() const;
  SumsOfProducts of_wide() const;
  SumsOfProducts of_weight() const;

  bool widens_;
  std::int64_t samples_;
  std::int64_t groups_;
  std::int64_t of_narrow_;  ///< channels of the narrow value in one group
  std::int64_t of_wide_;
  std::int64_t weight_rows_;  ///< extents of the weight's first two axes
  std::int64_t weight_columns_;
  std::vector<Slid> slid_;
};

}  // namespace gradproof
