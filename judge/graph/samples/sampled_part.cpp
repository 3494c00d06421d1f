// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/samples/sampled_part.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/graph/graph_memory.h"
#include "core/graph/samples/masks.h"
#include "oracles/libtorch/autograd.h"

namespace gradproof {
namespace {

/// So many elements that are furthest off are judged, by each of two measures.
constexpr std::size_t kFurthest = 4;

/// The elements with the largest of the numbers that it was given.
class Largest {
 public:
  void add(double number, std::int64_t index) {
    if (kept_.size() == kFurthest && number <= kept_.begin()->first) return;
    kept_.emplace(number, index);
    if (kept_.size() > kFurthest) kept_.erase(kept_.begin());
  }
  const std::set<std::pair<double, std::int64_t>>& kept() const { return kept_; }

 private:
  std::set<std::pair<double, std::int64_t>> kept_;
};

double distance(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double off = std::abs(got - want);
  return std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
}

/// The elements that are furthest from the guide: by themselves, and for the largest number beside
/// them along the last axis, as rows may have sizes of their own. The furthest come first.
std::vector<std::int64_t> furthest(const Tensor& got, const Tensor& guide) {
  Largest by_itself, by_row;
  const std::int64_t length =
      std::max<std::int64_t>(1, got.shape().empty() ? 1 : got.shape().back());
  std::vector<double> is(static_cast<std::size_t>(length)), should_be(is.size());
  for (std::int64_t first = 0; first < got.numel(); first += length) {
    got.read(first, 1, length, is.data());
    guide.read(first, 1, length, should_be.data());
    double largest = 0;
    for (const double number : should_be)
      if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
    for (std::size_t i = 0; i < is.size(); ++i) {
      const double off = distance(is[i], should_be[i]);
      const std::int64_t index = first + static_cast<std::int64_t>(i);
      by_itself.add(off, index);
      if (largest > 0) by_row.add(off / largest, index);
    }
  }
  std::vector<std::int64_t> found;
  for (auto a = by_itself.kept().rbegin(), b = by_row.kept().rbegin();
       a != by_itself.kept().rend() || b != by_row.kept().rend();) {
    if (a != by_itself.kept().rend()) found.push_back(a++->second);
    if (b != by_row.kept().rend()) found.push_back(b++->second);
  }
  return found;
}

/// The places of these elements along an axis of their tensor.
std::vector<std::int64_t> places_along(const std::vector<std::int64_t>& elements,
                                       const Shape& shape, std::size_t axis) {
  std::int64_t inner = 1;
  for (std::size_t k = axis + 1; k < shape.size(); ++k) inner *= shape[k];
  std::vector<std::int64_t> places;
  for (const std::int64_t index : elements) places.push_back(index / inner % shape[axis]);
  return places;
}

}  // namespace

GraphRun with_masks(GraphRun run) {
  MaskedGraph masked = with_masks(std::move(run.claim.graph));
  for (const PlaceMask& mask : masked.masks)
    run.inputs.emplace(mask.tensor, mask_of(mask, run.claim.extents, run.claim.contract.storage));
  run.claim.graph = std::move(masked.graph);
  return run;
}

Tensors guide_of(const GraphRun& run) {
  if (!has_libtorch() || !is_guided(run.claim.graph, run.claim.extents)) return {};
  return in_libtorch_float64(run).got;
}

RunPart sampled_part(const GraphRun& run, const SamplePlan& plan, const Tensors& guide) {
  std::map<std::string, std::vector<std::int64_t>, std::less<>> wanted;
  for (const std::string& target : plan.targets) {
    const auto got = run.got.find(target);
    const auto should_be = guide.find(target);
    if (got == run.got.end() || should_be == guide.end()) continue;
    const auto far = furthest(got->second, should_be->second);
    const auto& axes = axes_of_target(run.claim.graph, target);
    for (std::size_t k = 0; k < axes.size(); ++k)
      for (const std::int64_t place : places_along(far, got->second.shape(), k))
        wanted[axes[k]].push_back(place);
  }
  CutPlaces places;
  for (const auto& [axis, count] : plan.counts)
    places[axis] = sampled_places(run.claim.extents.at(axis), count, wanted[axis]);
  return {run, plan.targets, std::move(places)};
}

}  // namespace gradproof
