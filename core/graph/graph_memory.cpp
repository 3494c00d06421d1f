// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_memory.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/cores.h"
#include "core/graph/graph_parts.h"

namespace gradproof {
namespace {

using Names = std::set<std::string, std::less<>>;

/// Bytes for each number of a tensor or value: as the Case has it, in LibTorch's autograd, and its
/// gradient.
constexpr double kBytesPerValue = 24;
/// Bytes for each number of a tensor that is read, and for its gradient.
constexpr double kBytesGiven = 16;
/// Bytes for each number in LibTorch's autograd in float64: value, gradient, and copies.
constexpr double kBytesOfGuide = 40;
/// Bytes of a number's truth that is kept from one contract to the next: four doubles.
constexpr double kBytesKnown = 32;
/// Bytes kept at a cut: truth, radius, estimate, permitted error, flags, of value and gradient.
constexpr double kBytesKept = 2 * 43;
/// Bytes of a number in a block: truth and error scalar, each of the value and of its cotangent,
/// and once more while a step works on it. A value without the block's axis stands in every lane of
/// a pack, and its gradient's sums beside it; where the axis has one number, or there is no axis,
/// nothing is packed.
constexpr double kBytesInBlock = 4 * 80;
constexpr double kLanes = kNumbersOfPack;

double count(const std::vector<std::string>& axes, const GraphExtents& extents) {
  double all = 1;
  for (const std::string& axis : axes) all *= static_cast<double>(extents.at(axis));
  return all;
}

class PartMemory {
 public:
  PartMemory(const Graph& graph, const GraphExtents& extents)
      : graph_(graph), extents_(extents), axis_(block_axis(graph, extents)) {
    double widest = 1;
    for (const GraphStep& s : graph.steps) widest = std::max(widest, count(s.value_axes, extents));
    const double whole = axis_.empty() ? 1 : static_cast<double>(extents.at(axis_));
    const double numbers = numbers_of_block(whole, widest / whole);
    share_ = numbers / whole;
    lanes_ = whole == 1 ? 1 : kLanes;
    threads_ = std::clamp<double>(cores(), 1, whole / numbers);
  }

  double bytes() const {
    double one = 0;
    for (const GraphTensor& t : graph_.tensors) one += bytes_of(t.axes);
    for (const GraphStep& s : graph_.steps) one += bytes_of(s.value_axes);
    return one * threads_;
  }

 private:
  double bytes_of(const std::vector<std::string>& axes) const {
    const bool sliced = has_name(axes, axis_);
    return count(axes, extents_) * kBytesInBlock * (sliced ? share_ : lanes_);
  }
  static double numbers_of_block(double whole, double widest) {
    const double packs =
        std::ceil(std::floor(static_cast<double>(kBlockElements) / widest) / kLanes);
    return std::min(whole, std::max(packs, 1.0) * kLanes);
  }

  const Graph& graph_;
  const GraphExtents& extents_;
  std::string axis_;
  double share_ = 1;    ///< of the axis that a block has
  double lanes_ = 1;    ///< that what has not the axis stands in
  double threads_ = 1;  ///< that have a block at a time
};

/// The count of numbers in all values that later parts take.
double numbers_kept(const Graph& graph, const GraphExtents& extents,
                    const std::vector<GraphPart>& parts) {
  Names kept;
  for (const auto& maker : parts)
    for (const auto& taker : parts)
      for (const std::size_t made : maker)
        for (const std::size_t taken : taker)
          if (&maker != &taker && graph.steps[taken].takes(graph.steps[made].value))
            kept.insert(graph.steps[made].value);
  double all = 0;
  for (const std::string& name : kept) all += count(graph.axes_of(name), extents);
  return all;
}

/// The count of numbers in all tensors and values.
double all_numbers(const Graph& graph, const GraphExtents& extents) {
  double numbers = 0;
  for (const GraphTensor& t : graph.tensors) numbers += count(t.axes, extents);
  for (const GraphStep& s : graph.steps) numbers += count(s.value_axes, extents);
  return numbers;
}

/// Bytes of what the oracles keep, and of the part of the graph that takes most.
double memory_of_parts(const Graph& graph, const GraphExtents& extents) {
  const auto parts = graph_parts(graph, extents, kWholeNumbers);
  double largest = 0;
  for (const auto& part : parts) {
    Graph own = part_of(graph, part);
    GraphExtents merged = extents;
    merge_free_axes(own, merged);
    largest = std::max(largest, PartMemory(own, merged).bytes());
  }
  return numbers_kept(graph, extents, parts) * kBytesKept + largest;
}

}  // namespace

double graph_memory(const Graph& graph, const GraphExtents& extents) {
  const double numbers = all_numbers(graph, extents);
  return numbers * kBytesPerValue + memory_of_parts(graph, extents) +
         std::min<double>(kMostOfKnownBlocks, numbers * kBytesKnown);
}

double memory_of_samples(const Graph& graph, const GraphExtents& extents,
                         const std::vector<SamplePlan>& plans, bool given) {
  double tensors = 0;
  for (const GraphTensor& t : graph.tensors) tensors += count(t.axes, extents);
  for (const std::string& output : graph.outputs) tensors += count(graph.axes_of(output), extents);
  double largest = 0;
  for (const SamplePlan& plan : plans)
    largest = std::max(largest, graph_memory(graph, extents_of(plan, graph, extents)));
  if (is_guided(graph, extents))
    largest = std::max(largest, all_numbers(graph, extents) * kBytesOfGuide);
  return tensors * (given ? kBytesGiven : kBytesPerValue) + largest;
}

bool is_guided(const Graph& graph, const GraphExtents& extents) {
  return all_numbers(graph, extents) * kBytesOfGuide <= kMostOfGuide &&
         work_of(graph, extents) <= kMostWorkOfGuide;
}

}  // namespace gradproof
