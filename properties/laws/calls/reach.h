// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "properties/laws/axes.h"

namespace gradproof {

/// The elements of a result that may depend on one element of a tensor: along an axis along which a
/// step couples places, all or those of its group; along any other axis, its own place.
class LawReach {
 public:
  /// The reach of an element of `from`, from what the graph does along each axis.
  LawReach(const Claim& claim, const TensorSpec& from, std::int64_t element);
  /// The elements of the output that do depend on the element, whatever other steps couple. Nothing
  /// if they are not known.
  static std::optional<LawReach> of_output(const Claim& claim, const TensorSpec& from,
                                           std::int64_t element, const std::string& output);

  bool has(const TensorSpec& result, std::int64_t index) const;
  /// The elements of `within` where they are within reach, elsewhere those of `beyond`.
  Tensor mixed(const TensorSpec& result, const Tensor& within, Tensor beyond) const;
  /// True if all elements within reach are NaN.
  bool all_nan(const TensorSpec& result, const Tensor& got) const;

 private:
  LawReach(const TensorSpec& from, std::int64_t element,
           const std::function<AxisUse(const std::string&)>& use_along);

  /// The places from the first up to the last that are within reach.
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  /// Axes that are not here are within reach everywhere.
  std::map<std::string, Range, std::less<>> ranges_;
};

}  // namespace gradproof
