// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/calls/reach.h"

#include <algorithm>
#include <cmath>

#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Uses = std::map<std::string, AxisUse, std::less<>>;

/// The uses of each axis by the steps between a tensor and a value; nothing where a number that is
/// none may be lost between them, or where some elements of a step's reach depend on the tensor and
/// others do not.
class UsesBetween {
 public:
  UsesBetween(const Graph& graph, const std::string& from) : graph_(graph) {
    uses_[from] = Uses{};
    for (const GraphStep& step : graph.steps) add(step);
  }

  std::optional<Uses> of(const std::string& value) const {
    const auto found = uses_.find(value);
    return found == uses_.end() ? std::nullopt : found->second;
  }

 private:
  void add(const GraphStep& step) {
    const GraphStage& stage = graph_stage(step.stage);
    // A window reaches its own numbers alone, and may leave some out.
    const bool has_windows = stage.form == StageForm::slides || stage.convolves();
    const bool keeps = stage.kinks.empty() && !has_windows && stage.form != StageForm::selects &&
                       stage.form != StageForm::turns && stage.form != StageForm::scans &&
                       stage.word != "where" && !stage.moves();
    Uses uses;
    bool takes = false;
    for (std::size_t k = 0; k < step.operands.size(); ++k) {
      const auto found = uses_.find(step.operands[k].name);
      if (step.operands[k].is_number() || found == uses_.end()) continue;
      takes = true;
      if (!keeps || !found->second) {
        uses_[step.value] = std::nullopt;
        return;
      }
      for (const auto& [axis, use] : *found->second) join(uses, axis, use);
      for (const GraphAxis& axis : graph_.axes)
        if (const AxisUse use = use_of(graph_, step, axis.name); k == 0 && use.coupled)
          join(uses, axis.name, use);
    }
    if (takes) uses_[step.value] = std::move(uses);
  }

  static void join(Uses& uses, const std::string& axis, const AxisUse& use) {
    const auto [found, is_new] = uses.emplace(axis, use);
    if (!is_new && found->second.groups != use.groups) found->second.groups = 0;
  }

  const Graph& graph_;
  std::map<std::string, std::optional<Uses>, std::less<>> uses_;
};

}  // namespace

LawReach::LawReach(const Claim& claim, const TensorSpec& from, std::int64_t element)
    : LawReach(from, element, [&](const std::string& axis) { return use_of(claim.graph, axis); }) {}

LawReach::LawReach(const TensorSpec& from, std::int64_t element,
                   const std::function<AxisUse(const std::string&)>& use_along) {
  const std::vector<std::int64_t> places = places_of(from, element);
  for (std::size_t d = 0; d < places.size(); ++d) {
    const std::string& axis = from.axes.at(d);
    const AxisUse use = use_along(axis);
    if (use.coupled && use.groups == 0) continue;
    const std::int64_t width = use.width(from.layout.shape[d]);
    const std::int64_t group = places[d] / width;
    ranges_[axis] = {group * width, group * width + width - 1};
    if (use.groups > 0) ranges_["groups"] = {group, group};
  }
}

std::optional<LawReach> LawReach::of_output(const Claim& claim, const TensorSpec& from,
                                            std::int64_t element, const std::string& output) {
  const std::optional<Uses> uses = UsesBetween(claim.graph, from.name).of(output);
  if (!uses) return std::nullopt;
  return LawReach(from, element, [&](const std::string& axis) {
    const auto found = uses->find(axis);
    return found == uses->end() ? AxisUse() : found->second;
  });
}

bool LawReach::has(const TensorSpec& result, std::int64_t index) const {
  const std::vector<std::int64_t> places = places_of(result, index);
  for (std::size_t d = 0; d < places.size(); ++d) {
    const auto range = ranges_.find(result.axes.at(d));
    if (range == ranges_.end()) continue;
    if (places[d] < range->second.first || places[d] > range->second.last) return false;
  }
  return true;
}

Tensor LawReach::mixed(const TensorSpec& result, const Tensor& within, Tensor beyond) const {
  // By bytes: a NaN of 16 bits that goes through a double loses its sign and payload.
  const std::size_t size = size_of(result.dtype);
  const auto at = [&](const Tensor& tensor, std::int64_t i) {
    return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(tensor.position(i)) * size);
  };
  for (std::int64_t i = 0; i < beyond.numel(); ++i)
    if (has(result, i))
      std::copy_n(within.bytes().begin() + at(within, i), size,
                  beyond.bytes().begin() + at(beyond, i));
  return beyond;
}

bool LawReach::all_nan(const TensorSpec& result, const Tensor& got) const {
  for (std::int64_t i = 0; i < got.numel(); ++i)
    if (has(result, i) && !std::isnan(got.at(i))) return false;
  return true;
}

}  // namespace gradproof
