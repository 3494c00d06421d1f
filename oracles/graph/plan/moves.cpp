// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/plan/moves.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/graph/axes/moves.h"
#include "oracles/graph/plan/shapes.h"

namespace gradproof {
namespace {

std::int64_t offset_of(const PlanValue& to, const std::vector<IndexAlong>& indices) {
  std::int64_t offset = 0;
  for (const IndexAlong& along : indices) offset += along.at * stride_of(to, along.axis);
  return offset;
}

/// The number that is added to a place in the operand for each index along one axis of the value;
/// none where the operand has no number there.
using Offsets = std::vector<std::optional<std::int64_t>>;

/// Leaves out the numbers beside the band of two axes.
void leave_band(const GraphStep& step, const KeptBand& band, const PlanValue& value,
                IndexMap& from) {
  const auto place_of = [&](const std::string& axis) {
    return static_cast<std::size_t>(std::ranges::find(value.axes, axis) - value.axes.begin());
  };
  const std::size_t row = place_of(step.axes[0]);
  const std::size_t col = place_of(step.axes[1]);
  each_element(value, [&](std::int64_t i, const std::vector<std::int64_t>& index) {
    if (!band.keeps(index[row], index[col])) from[static_cast<std::size_t>(i)] = -1;
  });
}

IndexMap places_of_move(const GraphStep& step, std::size_t k, const PlanValue& operand,
                        const PlanValue& value, const GraphExtents& whole) {
  std::vector<Offsets> along;
  for (std::size_t a = 0; a < value.axes.size(); ++a) {
    Offsets& offsets = along.emplace_back();
    for (std::int64_t at = 0; at < value.extents[a]; ++at) {
      const auto indices = moved_along(step, k, whole, value.axes[a], at);
      offsets.push_back(indices ? std::optional(offset_of(operand, *indices)) : std::nullopt);
    }
  }
  const std::int64_t always = offset_of(operand, moved_always(step, whole));
  IndexMap from(static_cast<std::size_t>(value.count));
  each_element(value, [&](std::int64_t i, const std::vector<std::int64_t>& index) {
    std::int64_t place = always;
    for (std::size_t a = 0; a < index.size() && place >= 0; ++a) {
      const auto& offset = along[a][static_cast<std::size_t>(index[a])];
      place = offset ? place + *offset : -1;
    }
    from[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(place);
  });
  if (const KeptBand band = kept_band(step); !band.keeps_all()) leave_band(step, band, value, from);
  return from;
}

/// Counts how many numbers each of `count` places is taken for.
std::vector<int> uses_of(const IndexMap& from, std::int64_t count) {
  std::vector<int> uses(static_cast<std::size_t>(count));
  for (const std::int32_t place : from)
    if (place >= 0) ++uses[static_cast<std::size_t>(place)];
  return uses;
}

}  // namespace

std::vector<MovedNumbers> moved_numbers(const PlanStep& step, const std::vector<PlanValue>& values,
                                        const GraphExtents& whole) {
  const PlanValue& value = values[static_cast<std::size_t>(step.value)];
  std::vector<MovedNumbers> all;
  for (std::size_t k = 0; k < step.operands.size(); ++k) {
    const PlanValue& operand = values[static_cast<std::size_t>(step.operands[k])];
    IndexMap from = places_of_move(*step.step, k, operand, value, whole);
    std::vector<int> uses = uses_of(from, operand.count);
    all.push_back({std::move(from), std::move(uses)});
  }
  return all;
}

MovedNumbers numbers_by_labels(const PlanStep& step, const std::vector<PlanValue>& values,
                               const Tensor& labels, const LabelRange& range) {
  const PlanValue& operand = values[static_cast<std::size_t>(step.operands.front())];
  const PlanValue& value = values[static_cast<std::size_t>(step.value)];
  const PlanValue& chosen_by = values[static_cast<std::size_t>(step.operands[step.row->labels()])];
  if (step.row->form == StageForm::selects || step.row->labels() == 0) {
    IndexMap from;
    const std::int64_t classes = step.row->labels() == 0 ? 0 : range.classes;
    for (std::int64_t i = 0; i < labels.numel(); ++i)
      if (labels.at(i) != range.ignored)
        from.push_back(static_cast<std::int32_t>(
            classes > 0 ? i * classes + static_cast<std::int64_t>(labels.at(i)) : i));
    return {std::move(from), {}};
  }
  // Elements of `of` get a place in `to`, which has the axis that the labels choose along.
  const bool adds = step.row->move.adds;
  const PlanValue& of = adds ? operand : value;
  const PlanValue& to = adds ? value : operand;
  const std::int64_t stride =
      stride_of(to, adds ? step.step->made.front() : step.step->axes.front());
  IndexMap from = places_in(to, of.axes, of.extents);
  const IndexMap label_of = places_in(chosen_by, of.axes, of.extents);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double label = labels.at(label_of[i]);
    from[i] = label == range.ignored
                  ? -1
                  : from[i] + static_cast<std::int32_t>(label * static_cast<double>(stride));
  }
  std::vector<int> uses = uses_of(from, to.count);
  return {std::move(from), std::move(uses)};
}

}  // namespace gradproof
