// SPDX-License-Identifier: Apache-2.0
// This file has what follows from the extents of a move's axes: whether they fit, and which number
// of an operand stands where.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/axes/moves.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using namespace move_options;
using Axes = std::vector<std::string>;

std::int64_t option_of_move(const GraphStep& step, std::string_view key) {
  return static_cast<std::int64_t>(step.number(key));
}

/// The faults of the extents of one move.
class MoveFault {
 public:
  MoveFault(const GraphStep& step, const GraphExtents& extents)
      : step_(step), extents_(extents), what_(fmt::format("{} of '{}'", step.stage, step.value)) {}

  std::string text() const {
    const GraphStage& row = graph_stage(step_.stage);
    if (row.move.adds || step_.stage == "repeat")
      return option(kSize) == 0 ? "" : differs(option(kSize), "the numbers of `size`");
    if (row.takes_labels() || step_.axes.empty()) return "";
    if (step_.stage == "select") return of_select();
    if (step_.made.empty()) return "";
    if (step_.stage == "split") return of_split();
    if (step_.stage == "join") return differs(product(step_.axes), product_text(step_.axes));
    if (step_.stage == "slice") return of_slice();
    if (step_.stage == "concat") return differs(extent() + extents_.at(step_.axes.back()), "both");
    if (step_.stage == "pad") return of_pad();
    const std::int64_t other = extents_.at(step_.axes.back());
    if (other == extent()) return differs(extent(), "its numbers");
    return fmt::format("{}: axis '{}' of {} beside '{}' of {}", what_, axis(), extent(),
                       step_.axes.back(), other);
  }

 private:
  std::int64_t option(std::string_view key) const { return option_of_move(step_, key); }
  const std::string& axis() const { return step_.axes.front(); }
  std::int64_t extent() const { return extents_.at(axis()); }
  std::int64_t left() const { return extents_.at(step_.made.front()); }

  std::string differs(std::int64_t wanted, const std::string& text) const {
    if (left() == wanted) return "";
    return fmt::format("{}: axis '{}' has {}, and {} are {}", what_, step_.made.front(), left(),
                       text, wanted);
  }
  std::int64_t product(const Axes& axes) const {
    std::int64_t all = 1;
    for (const std::string& axis : axes) all *= extents_.at(axis);
    return all;
  }
  /// The extents of the axes, as "4 times 6".
  std::string product_text(const Axes& axes) const {
    std::vector<std::int64_t> all;
    for (const std::string& axis : axes) all.push_back(extents_.at(axis));
    return fmt::format("{}", fmt::join(all, " times "));
  }

  std::string of_select() const {
    const std::int64_t at = option(kAt);
    if (at >= -extent() && at < extent()) return "";
    return fmt::format("{}: at={} is none of the {} of axis '{}'", what_, at, extent(), axis());
  }
  std::string of_split() const {
    if (option(kSplitParts) != 0 && option(kSplitParts) != left())
      return differs(option(kSplitParts), "the parts");
    if (product(step_.made) == extent()) return "";
    return fmt::format("{}: axis '{}' of {} is not {}", what_, axis(), extent(),
                       product_text(step_.made));
  }
  std::string of_slice() const {
    if (option(kCount) > 0 && option(kCount) != left()) return differs(option(kCount), "count");
    const std::int64_t last = option(kFirst) + (left() - 1) * option(kEvery);
    if (left() > 0 && last < extent()) return "";
    return fmt::format("{}: {} from {} on leave axis '{}' of {}", what_, left(), option(kFirst),
                       axis(), extent());
  }
  std::string of_pad() const {
    const std::string mode = step_.word(kMode);
    if (mode != "zeros" && step_.options.contains(kFillValue))
      return fmt::format("{}: mode={} takes no {}", what_, mode, kFillValue);
    const std::int64_t most = std::max(option(kBefore), option(kAfter));
    const bool is_far = most > extent() - (mode == "reflect" ? 1 : 0);
    if (is_far && (mode == "reflect" || mode == "circular"))
      return fmt::format("{}: axis '{}' of {} cannot be padded by {} with mode={}", what_, axis(),
                         extent(), most, mode);
    return differs(extent() + option(kBefore) + option(kAfter), "with the padding");
  }

  const GraphStep& step_;
  const GraphExtents& extents_;
  std::string what_;
};

/// The index below a padded place; -1 for a zero.
std::int64_t below_padding(const std::string& mode, std::int64_t at, std::int64_t extent) {
  if (at >= 0 && at < extent) return at;
  if (mode == "reflect") return at < 0 ? -at : 2 * (extent - 1) - at;
  if (mode == "replicate") return at < 0 ? 0 : extent - 1;
  if (mode == "circular") return (at % extent + extent) % extent;
  return -1;
}

/// The one index along the first of the axes that the step works over, or the axis itself; -1 where
/// the operand has no number.
std::int64_t moved_index(const GraphStep& step, std::size_t k, const GraphExtents& extents,
                         const std::string& axis, std::int64_t at) {
  const auto option = [&](std::string_view key) { return option_of_move(step, key); };
  const std::int64_t extent = extents.at(step.axes.front());
  if (step.stage == "flip") return extents.at(axis) - 1 - at;
  if (step.stage == "roll") return ((at - option(kShift)) % extent + extent) % extent;
  if (step.stage == "split") return axis == step.made[0] ? at * extents.at(step.made[1]) : at;
  if (step.stage == "slice") return option(kFirst) + at * option(kEvery);
  if (step.stage == "pad") return below_padding(step.word(kMode), at - option(kBefore), extent);
  if ((k == 0) != (at < extent)) return -1;
  return k == 0 ? at : at - extent;  // of a concat
}

}  // namespace

std::string fault_of_move(const GraphStep& step, const GraphExtents& extents) {
  return graph_stage(step.stage).moves() ? MoveFault(step, extents).text() : "";
}

std::optional<std::vector<IndexAlong>> moved_along(const GraphStep& step, std::size_t k,
                                                   const GraphExtents& extents,
                                                   const std::string& axis, std::int64_t at) {
  if (step.stage == "repeat" && axis == step.made.front()) return std::vector<IndexAlong>();
  const bool is_kept = has_name(step.axes, axis);  // by a flip and a roll
  if ((!has_name(step.made, axis) && !is_kept) || !kept_band(step).keeps_all())
    return std::vector<IndexAlong>{{axis, at}};
  if (step.stage != "join" && step.stage != "rename" && step.stage != "diagonal") {
    const std::int64_t index = moved_index(step, k, extents, axis, at);
    if (index < 0) return std::nullopt;
    const std::string& source = k == 0 ? step.axes.front() : step.axes.back();
    return std::vector<IndexAlong>{{is_kept ? axis : source, index}};
  }
  std::vector<IndexAlong> all;
  for (std::size_t j = step.axes.size(); j-- > 0;) {
    const std::int64_t extent = extents.at(step.axes[j]);
    all.push_back({step.axes[j], step.stage == "join" ? at % extent : at});
    if (step.stage == "join") at /= extent;
  }
  return all;
}

KeptBand kept_band(const GraphStep& step) {
  KeptBand band;
  if (step.stage == "triu") band.least = option_of_move(step, kDiagonal);
  if (step.stage == "tril" || step.stage == "causal") band.most = option_of_move(step, kDiagonal);
  if (step.stage != "causal") return band;
  if (const std::int64_t window = option_of_move(step, kBand); window > 0)
    band.least = band.most - window + 1;
  return band;
}

double fill_of_move(const GraphStep& step) {
  for (const StageOption& option : graph_stage(step.stage).options)
    if (option.key == kFillValue) return step.number(kFillValue);
  return 0;
}

std::vector<IndexAlong> moved_always(const GraphStep& step, const GraphExtents& extents) {
  if (step.stage != "select") return {};
  const std::int64_t at = option_of_move(step, kAt);
  return {{step.axes.front(), at < 0 ? at + extents.at(step.axes.front()) : at}};
}

}  // namespace gradproof
