// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/compare/comparison.h"
#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/collected_sums.h"
#include "oracles/graph/segments/block_answer.h"
#include "oracles/graph/segments/known_blocks.h"
#include "oracles/graph/target_roundings.h"
#include "oracles/graph/undecided_answers.h"

namespace gradproof {

/// Computes truth and bound of one block of a segment after the other; F is the type that its
/// contract accumulates in.
template <class F>
class GraphEvaluator {
 public:
  /// `single` is a plan of one number along the axis `cut`. All arguments outlive the evaluator.
  GraphEvaluator(const SegmentSetting& setting, const GraphInputs& inputs, const std::string& cut,
                 TierLanes lanes, const GraphPlan& single)
      : setting_(setting),
        roundings_(setting.roundings),
        inputs_(inputs),
        cut_(cut),
        lanes_(lanes),
        single_(single),
        undecided_(setting, inputs, single) {}

  /// `packed` is a plan of the block in packs. Adds its sums to `collected`.
  std::vector<BlockAnswer> evaluate(const GraphPlan& packed, const Block& block,
                                    CollectedSums<F>& collected) const {
    const std::unique_ptr<GraphTier> tier = graph_tier(setting_.graph, lanes_);
    const PackedBlock shape{cut_, block, tier->lanes()};
    const PackedNumbers numbers(packed, inputs_, shape);
    if (is_wide_and_alone(packed, block))
      tier->evaluate_at_once(packed, numbers.view());
    else
      evaluate_or_take(*tier, packed, block, numbers);
    std::vector<BlockAnswer> answers;
    std::set<OpenSum> open_sums = take_sums(*tier, collected);
    const auto ask = [&](const BlockAnswer& a, bool whole) {
      PackedAnswers found(PackedPlaces(*a.value, shape).stored_count(), whole);
      const StoredType& type = roundings_.of(a.target).type();
      if (a.output >= 0)
        tier->value(a.output, type, found);
      else if (a.statistic >= 0)
        tier->statistic(static_cast<std::size_t>(a.statistic), type, found);
      else
        tier->gradient(a.tensor, type, found);
      return found;
    };
    const auto take = [&](BlockAnswer answer) {
      const bool is_term = answer.output < 0 && answer.statistic < 0 && !answer.value->sliced;
      PackedAnswers found = ask(answer, is_term || answer.is_kept);
      if (is_term) return take_terms(answer, found.answers, collected, open_sums);
      answer.truths = std::move(found.truths);
      answer.packed = std::move(found.answers);
      answer.are_known = found.are_known;
      answer.are_decided = found.are_decided;
      answers.push_back(std::move(answer));
    };
    for (const int output : packed.outputs) {
      const PlanValue& value = packed.values[static_cast<std::size_t>(output)];
      if (wants(value.name))
        take({.target = value.name,
              .value = &value,
              .output = output,
              .is_kept = !inputs_.backward});
    }
    for (std::size_t k = 0; inputs_.backward && k < packed.statistics.size(); ++k) {
      const PlanValue& value = packed.statistics[k].value;
      if (!setting_.asked.contains(value.name)) continue;
      if (!value.sliced && block.first > 0) continue;  // the first block has said it
      take({.target = value.name, .value = &value, .statistic = static_cast<int>(k)});
    }
    const auto take_gradients = [&](const auto& takes) {
      for (std::size_t k = 0; k < packed.graph->tensors.size(); ++k) {
        const PlanValue& value = packed.values[k];
        if (tier->has_gradient(k) && takes(value))
          take({.target = gradient_name(value.name),
                .value = &value,
                .tensor = k,
                .is_kept = setting_.segment.gradients.contains(value.name)});
      }
    };
    take_gradients([](const PlanValue& value) { return !value.sliced; });
    // Gradients that nobody asked for say which numbers an open sum is open for.
    take_gradients([&](const PlanValue& value) {
      return value.sliced && (is_asked(value.name) || !open_sums.empty());
    });
    std::vector<bool> undecided = undecided_.numbers(shape, answers);
    const bool some = std::find(undecided.begin(), undecided.end(), true) != undecided.end();
    if (!some && open_sums.empty()) return answers;
    for (BlockAnswer& a : answers)
      if (!a.is_kept) a.packed = ask(a, true).answers;
    undecided_.decide_by_class(undecided, shape, answers, collected, open_sums);
    if (open_sums.empty()) {
      undecided_.replace(undecided_.numbers(shape, answers), shape, answers, nullptr, {});
      return answers;
    }
    const auto rest = sums_without(undecided, *tier, packed, shape, numbers);
    if (!rest) undecided.assign(undecided.size(), true);
    undecided_.replace(undecided, shape, answers, &collected, rest);
    return answers;
  }

 private:
  void evaluate_or_take(GraphTier& tier, const GraphPlan& plan, const Block& block,
                        const PackedNumbers& numbers) const {
    KnownBlocks* const kept = setting_.known;
    const BlockTruths* const known = kept == nullptr ? nullptr : kept->of(plan, block);
    tier.evaluate(plan, numbers.view(), known);
    if (kept != nullptr && known == nullptr && kept->has_room(tier.truths().bytes()))
      kept->keep(plan, block, tier.move_truths());
  }
  /// True if no other block gives a second thread work, and this one has enough for it.
  static bool is_wide_and_alone(const GraphPlan& plan, const Block& block) {
    return block.length == block.whole && block.strips == 1 &&
           std::any_of(plan.values.begin(), plan.values.end(),
                       [](const PlanValue& value) { return value.count > kBlockElements; });
  }
  /// True for a value to pass on if forward alone; in a backward pass, for an output asked for.
  bool wants(const std::string& output) const {
    return inputs_.backward
               ? has_name(setting_.segment.outputs, output) && setting_.asked.contains(output)
               : setting_.segment.passes_on(output);
  }
  /// True if the gradient of a tensor is judged, or other segments take it.
  bool is_asked(const std::string& tensor) const {
    return setting_.asked.contains(gradient_name(tensor)) ||
           setting_.segment.gradients.contains(tensor);
  }

  /// Collects the sums over a block. Returns those that double-double does not decide.
  std::set<OpenSum> take_sums(GraphTier& tier, CollectedSums<F>& collected) const {
    std::set<OpenSum> open;
    for (std::size_t u = 0; u < tier.uses(); ++u) {
      const BlockUse from = tier.use(u);
      const bool asked = is_asked(single_.values[static_cast<std::size_t>(from.tensor)].name);
      const std::int64_t chain = from.order.chain_of(from.length);
      std::vector<BlockSum> sums(from.count);
      tier.take_sums(u, sums.data());
      typename CollectedSums<F>::Use use{from.tensor, from.length, from.order,
                                         {},          {},          from.settings};
      use.bounds.reserve(from.count);
      use.truths.reserve(from.count);
      for (const BlockSum& sum : sums) {
        use.bounds.push_back(ErrorSum<F>::read(sum));
        use.truths.emplace_back().add(sum.truth);
        // The roundings of the sum itself only add to what its terms may be off by.
        if (!asked || undecided_.decides(sum.truth.radius, sum.error)) continue;
        // The chain over all blocks is no shorter than that of this one.
        const auto error = use.bounds.back().sum(chain, from.settings);
        if (!undecided_.decides(sum.truth.radius, error.total()))
          open.insert({collected.uses(), use.bounds.size() - 1});
      }
      collected.take(std::move(use));
    }
    return open;
  }

  /// Collects a gradient that no block cuts, as sums of one term each; open ones go to `open`.
  void take_terms(const BlockAnswer& of, const BlockAnswers& found, CollectedSums<F>& collected,
                  std::set<OpenSum>& open) const {
    const StoredRounding& rounding = roundings_.of(of.target);
    for (std::size_t i = 0; is_asked(of.value->name) && i < found.hi.size(); ++i) {
      const Truth t = rounding.of(found.ball(i), found.permitted(i));
      if (!undecided_.decides(t.radius, t.bound)) open.insert({collected.uses(), i});
    }
    collected.take(CollectedSums<F>::terms(static_cast<int>(of.tensor), found, 0, found.hi.size()));
  }

  /// The sums over a block's other numbers, if double-double decides these; else nullopt. A number
  /// that is not finite leaves no sum that it is part of decided.
  std::optional<CollectedSums<F>> sums_without(const std::vector<bool>& undecided, GraphTier& tier,
                                               const GraphPlan& packed, const PackedBlock& shape,
                                               PackedNumbers numbers) const {
    const auto other = std::find(undecided.begin(), undecided.end(), false);
    const bool some = std::find(undecided.begin(), undecided.end(), true) != undecided.end();
    if (!some || other == undecided.end() || !inputs_.alone || inputs_.inexact != nullptr)
      return {};
    numbers.leave_out(packed, shape, undecided,
                      static_cast<std::size_t>(other - undecided.begin()));
    tier.evaluate(packed, numbers.view());
    for (std::size_t k = 0; k < packed.graph->tensors.size(); ++k)
      if (tier.has_gradient(k) && !packed.values[k].sliced) return {};
    CollectedSums<F> rest;
    if (!take_sums(tier, rest).empty()) return {};
    return rest;
  }

  const SegmentSetting& setting_;
  const TargetRoundings& roundings_;
  const GraphInputs& inputs_;
  const std::string& cut_;
  TierLanes lanes_;
  const GraphPlan& single_;
  UndecidedAnswers<F> undecided_;
};

}  // namespace gradproof
