// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/segments/exact_segments.h"

#include <algorithm>

#include "core/graph/axes/convolution.h"
#include "core/graph/graph_parts.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

/// Operations of the whole graph forward, an elementwise one counted as kFunction: with 50 digits
/// and backward too they take some 0.5 us each, so a minute; values of 80 bytes, some 2 GB.
constexpr double kMostOperations = 1 << 27;
constexpr double kFunction = 8;

double operations_of(const GraphClaim& claim) {
  double all = 0;
  for (const GraphStep& s : claim.graph.steps) {
    const auto made = static_cast<double>(numel(claim.shape_of(s.value)));
    const auto taken = s.operands.front().is_number()
                           ? made
                           : static_cast<double>(numel(claim.shape_of(s.operands.front().name)));
    const bool is_product = graph_stage(s.stage).form == StageForm::contracts;
    all += is_product
               ? made * static_cast<double>(product_lengths(claim.graph, claim.extents, s).value)
               : std::max(made, taken) * kFunction;
  }
  return all;
}

std::size_t count_of(const Segment& s, const std::string& name) {
  return static_cast<std::size_t>(numel(s.claim.shape_of(name)));
}

/// Puts the numbers of one block at their places.
void put_part(std::vector<Real>& whole, const FieldNumbers<Real>& numbers, const PlanValue& value,
              const PackedBlock& part) {
  each_run(value, part.block, [&](std::int64_t local, std::int64_t first, std::int64_t count) {
    std::copy_n(numbers.begin() + local, count, whole.begin() + first);
  });
}

}  // namespace

bool ExactSegments::is_affordable() const {
  double all = 0;
  for (const Segment& s : segments_) all += operations_of(s.claim);
  return segments_.size() == 1 || all <= kMostOperations;
}

ExactInputs ExactSegments::inputs_of(std::size_t k, const GraphInputs& from) {
  const std::lock_guard lock(mutex_);
  const std::size_t forward = from.backward ? segments_.size() - 1 : k;
  for (; forward_ < forward; ++forward_) evaluate(forward_, false);
  if (!from.backward) return {from, values_, gradients_};
  start_gradients();
  for (; backward_ < segments_.size() - 1 - k; ++backward_)
    evaluate(segments_.size() - 1 - backward_, true);
  return {from, values_, gradients_};
}

void ExactSegments::evaluate(std::size_t k, bool backward) {
  const Segment& s = segments_[k];
  for (const std::string& value : s.passed_on)
    if (!backward) values_[value].resize(count_of(s, value));
  const std::string cut = block_axis(s.claim.graph, s.claim.extents);
  const std::int64_t length = cut.empty() ? 1 : s.claim.extents.at(cut);
  const GraphPlan plan = s.claim.plan(1);
  GraphInputs tensors(inputs_);
  tensors.alone = false;
  tensors.backward = backward;
  for (std::int64_t number = 0; number < length; ++number) {
    const PackedBlock part{cut, {number, 1, length}, 1};
    const ExactBlock block(plan, {tensors, values_, gradients_}, part);
    if (backward)
      take_gradients(s, block, plan, part);
    else
      take_values(s, block, plan, part);
  }
}

void ExactSegments::start_gradients() {
  if (!gradients_.empty()) return;
  for (const Segment& s : segments_)
    for (const std::string& output : s.outputs) {
      if (!s.passes_on(output)) continue;
      const Tensor& dy = get(inputs_, cotangent_name(output));
      for (std::int64_t i = 0; i < dy.numel(); ++i) gradients_[output].emplace_back(dy.at(i));
    }
  for (const Segment& s : segments_)
    for (const std::string& name : s.gradients)
      gradients_.try_emplace(name, count_of(s, name), Real(0));
}

void ExactSegments::take_values(const Segment& s, const ExactBlock& block, const GraphPlan& plan,
                                const PackedBlock& part) {
  for (const int output : plan.outputs) {
    const PlanValue& value = plan.values[static_cast<std::size_t>(output)];
    if (s.passes_on(value.name)) put_part(values_.at(value.name), block.value(output), value, part);
  }
}

void ExactSegments::take_gradients(const Segment& s, const ExactBlock& block, const GraphPlan& plan,
                                   const PackedBlock& part) {
  const auto add = [&](std::size_t tensor, std::size_t i, const Real& more) {
    gradients_.at(plan.values[tensor].name)[i] += more;
  };
  for (const auto& use : block.uses()) {
    const auto tensor = static_cast<std::size_t>(use.tensor);
    if (!s.gradients.contains(plan.values[tensor].name)) continue;
    for (std::size_t i = 0; i < use.sums.size(); ++i) add(tensor, i, use.sums[i].total);
  }
  for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k) {
    const PlanValue& value = plan.values[k];
    const FieldNumbers<Real>& gradient = block.gradient(k);
    if (!s.gradients.contains(value.name) || gradient.empty()) continue;
    if (value.sliced)
      put_part(gradients_.at(value.name), gradient, value, part);
    else
      for (std::size_t i = 0; i < gradient.size(); ++i) add(k, i, gradient[i]);
  }
}

}  // namespace gradproof
