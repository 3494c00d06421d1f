// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/axes/value_axes.h"
#include "core/graph/graph.h"

namespace gradproof {

/// The options of moves.
namespace move_options {
inline constexpr std::string_view kSplitParts = "parts";
inline constexpr std::string_view kFirst = "from";
inline constexpr std::string_view kCount = "count";
inline constexpr std::string_view kEvery = "step";
inline constexpr std::string_view kAt = "at";
inline constexpr std::string_view kBefore = "before";
inline constexpr std::string_view kAfter = "after";
inline constexpr std::string_view kShift = "shift";
inline constexpr std::string_view kMode = "mode";
inline constexpr std::string_view kIgnore = "ignore";
inline constexpr std::string_view kSize = "size";
inline constexpr std::string_view kFillValue = "value";
inline constexpr std::string_view kDiagonal = "diagonal";
inline constexpr std::string_view kBand = "window";
}  // namespace move_options

/// The label that a step leaves out where its text says none: no label is that number.
inline constexpr double kNothingIgnored = -2147483647;

/// Parts the axes that the text says of a move into those that an operand has, which stay in
/// step.axes, and those that the step makes, in step.made. `operands` has the axes of each. Returns
/// why it cannot, empty where it can.
std::string part_axes_of_move(GraphStep& step,
                              const std::vector<const std::vector<std::string>*>& operands);

/// The axes of a move's value. Axes that `known` has are not made: the move must fit them.
ValueAxes axes_of_move(const GraphStep& step, const std::vector<const std::vector<std::string>*>&,
                       const std::vector<std::string>& known);

/// The orders of axes in which torch's operator of a move takes its first operand, and leaves its
/// value.
struct MoveOrder {
  std::vector<std::string> taken;
  std::vector<std::string> left;
};
MoveOrder order_of_move(const GraphStep& step, const std::vector<std::string>& first);

/// The parts of the axes of a step that takes labels and numbers x, as torch's operators have them:
/// a take gathers along `along` in each of `batch`, a put adds rows of `rest`.
struct LabelAxes {
  std::vector<std::string> batch;  ///< of labels and x both; of a put all axes of the labels
  std::vector<std::string> fresh;  ///< of the labels alone
  std::string along;               ///< that the labels choose along
  std::vector<std::string> rest;   ///< of x alone
};
LabelAxes label_axes(const GraphStep& step, const std::vector<std::string>& first,
                     const std::vector<std::string>& labels);

/// Why the extents are none that the step leaves; empty for those that are, and for other steps.
std::string fault_of_move(const GraphStep& step, const GraphExtents& extents);

/// A step along an axis of a tensor: `at` is added to the index there.
struct IndexAlong {
  std::string axis;
  std::int64_t at = 0;
};

/// The indices in the k-th operand of numbers that stand at `at` along an axis of a move's value;
/// the index of an element is their sum over all axes of the value. No list where the value has a 0
/// of its own there, or a number of another operand.
std::optional<std::vector<IndexAlong>> moved_along(const GraphStep& step, std::size_t k,
                                                   const GraphExtents& extents,
                                                   const std::string& axis, std::int64_t at);

/// The numbers that a triangular step keeps: those at indices i, j of its two axes where j - i is
/// at least `least` and at most `most`. All numbers for other steps.
struct KeptBand {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  bool keeps(std::int64_t i, std::int64_t j) const { return j - i >= least && j - i <= most; }
  bool keeps_all() const {
    return least == std::numeric_limits<std::int64_t>::min() &&
           most == std::numeric_limits<std::int64_t>::max();
  }
};
KeptBand kept_band(const GraphStep& step);

/// The number that stands where a move takes none of its operands: 0 where the row has no option
/// for it.
double fill_of_move(const GraphStep& step);

/// The indices along axes that the value lacks, which are added to the others.
std::vector<IndexAlong> moved_always(const GraphStep& step, const GraphExtents& extents);

}  // namespace gradproof
