// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "core/compare/comparison.h"
#include "oracles/graph/block_numbers.h"
#include "oracles/graph/collected_sums.h"
#include "oracles/graph/exact_block.h"
#include "oracles/graph/segments/block_answer.h"
#include "oracles/graph/segments/exact_segments.h"
#include "oracles/graph/target_roundings.h"

namespace gradproof {

/// Truth and bound of one block of a segment after the other, F being the type that its contract
/// accumulates in.
template <class F>
class GraphEvaluator {
 public:
  /// `single` is a plan of one number along the axis `cut`. All of it outlives the evaluator.
  GraphEvaluator(const SegmentSetting& setting, const GraphInputs& inputs, const std::string& cut,
                 const GraphPlan& single)
      : setting_(setting),
        contract_(setting.graph.contract),
        roundings_(setting.roundings),
        inputs_(inputs),
        cut_(cut),
        single_(single) {}

  /// `packed` is a plan of the block in packs. Adds its sums to `collected`.
  std::vector<BlockAnswer> evaluate(const GraphPlan& packed, const Block& block,
                                    CollectedSums<F>& collected) const {
    const std::unique_ptr<GraphTier> tier = graph_tier(setting_.graph);
    const PackedBlock shape{cut_, block, tier->lanes()};
    const PackedNumbers numbers(packed, inputs_, shape);
    tier->evaluate(packed, numbers.view());
    std::vector<BlockAnswer> answers;
    bool exact_sums = take_sums(*tier, collected);
    const auto take = [&](BlockAnswer answer, const auto& get) {
      const PackedPlaces places(*answer.value, shape);
      PackedAnswers found(places.stored_count());
      get(found);
      if (answer.output < 0 && answer.statistic < 0 && !answer.value->sliced)
        exact_sums = take_terms(answer, found.answers, collected) || exact_sums;
      else
        answers.push_back(answer_of(std::move(answer), places, std::move(found)));
    };
    for (const int output : packed.outputs) {
      const PlanValue& value = packed.values[static_cast<std::size_t>(output)];
      if (wants(value.name))
        take(
            {.target = value.name, .value = &value, .output = output, .is_kept = !inputs_.backward},
            [&](PackedAnswers& found) {
              tier->value(output, roundings_.of(value.name).type(), found);
            });
    }
    for (std::size_t k = 0; inputs_.backward && k < packed.statistics.size(); ++k) {
      const PlanValue& value = packed.statistics[k].value;
      if (!value.sliced && block.first > 0) continue;  // the first block has said it
      take({.target = value.name, .value = &value, .statistic = static_cast<int>(k)},
           [&](PackedAnswers& found) {
             tier->statistic(k, roundings_.of(value.name).type(), found);
           });
    }
    for (std::size_t k = 0; k < packed.graph->tensors.size(); ++k) {
      const PlanValue& value = packed.values[k];
      if (tier->has_gradient(k))
        take({.target = gradient_name(value.name),
              .value = &value,
              .tensor = k,
              .is_kept = setting_.segment.gradients.contains(value.name)},
             [&](PackedAnswers& found) {
               tier->gradient(k, roundings_.of(gradient_name(value.name)).type(), found);
             });
    }
    std::vector<bool> undecided = undecided_numbers(shape.block, answers);
    std::optional<CollectedSums<F>> rest;
    if (exact_sums) {
      rest = sums_without(undecided, *tier, packed, shape, numbers);
      if (!rest) undecided.assign(undecided.size(), true);
    }
    replace(undecided, shape, answers, exact_sums ? &collected : nullptr, rest);
    return answers;
  }

 private:
  /// Forward alone gives what later segments take, backward the outputs of the whole graph.
  bool wants(const std::string& output) const {
    return inputs_.backward ? has_name(setting_.segment.outputs, output)
                            : setting_.segment.passes_on(output);
  }

  static BlockAnswer answer_of(BlockAnswer a, const PackedPlaces& places, PackedAnswers found) {
    a.truths = {places.by_number(found.truths.hi), places.by_number(found.truths.lo),
                places.by_number(found.truths.radius), places.by_number(found.truths.bound),
                places.by_number(found.truths.any_nonfinite)};
    a.escalated.resize(places.count());
    a.packed = std::move(found.answers);
    return a;
  }

  /// The sums over a block. The result is whether one of them needs 50 digits.
  bool take_sums(const GraphTier& tier, CollectedSums<F>& collected) const {
    bool undecided = false;
    for (std::size_t u = 0; u < tier.uses(); ++u) {
      const BlockUse from = tier.use(u);
      std::vector<BlockSum> sums(from.count);
      tier.sums(u, sums.data());
      typename CollectedSums<F>::Use use{from.tensor, from.length, from.order, {}, {}, from.share};
      for (const BlockSum& sum : sums) {
        use.bounds.push_back(ErrorSum<F>::read(sum));
        use.truths.emplace_back().add(sum.truth);
        // The chain over all blocks is no shorter than that of this one.
        const auto error = use.bounds.back().sum(from.order.chain_of(from.length), from.share);
        undecided = undecided || !decides(sum.truth.radius, error.total());
      }
      collected.take(std::move(use));
    }
    return undecided;
  }

  /// The gradient of a tensor that no block cuts, as sums of one term each; the same result.
  bool take_terms(const BlockAnswer& of, const BlockAnswers& found,
                  CollectedSums<F>& collected) const {
    const StoredRounding& rounding = roundings_.of(of.target);
    bool undecided = false;
    for (std::size_t i = 0; i < found.hi.size(); ++i) {
      const Truth t = rounding.of(found.ball(i), found.permitted(i));
      undecided = undecided || !decides(t.radius, t.bound);
    }
    collected.take(CollectedSums<F>::terms(static_cast<int>(of.tensor), found));
    return undecided;
  }

  /// The numbers along the block's axis of which some answer needs 50 digits.
  std::vector<bool> undecided_numbers(const Block& block,
                                      const std::vector<BlockAnswer>& answers) const {
    const auto length = static_cast<std::size_t>(block.length);
    std::vector<bool> undecided(length);
    for (const BlockAnswer& a : answers) {
      const std::size_t of_one = a.truths.size() / (a.value->sliced ? length : 1);
      for (std::size_t at = 0; at < a.truths.size(); ++at)
        if (!decides(a.truths.radius[at], a.truths.bound[at])) undecided[at / of_one] = true;
    }
    return undecided;
  }

  /// The sums over a block's other numbers, where double-double decides these. One number that is
  /// not finite leaves no sum that it is part of decided.
  std::optional<CollectedSums<F>> sums_without(const std::vector<bool>& undecided, GraphTier& tier,
                                               const GraphPlan& packed, const PackedBlock& shape,
                                               PackedNumbers numbers) const {
    const auto other = std::find(undecided.begin(), undecided.end(), false);
    const bool some = std::find(undecided.begin(), undecided.end(), true) != undecided.end();
    if (!some || other == undecided.end() || !inputs_.alone || inputs_.inexact) return {};
    numbers.leave_out(packed, shape, undecided,
                      static_cast<std::size_t>(other - undecided.begin()));
    tier.evaluate(packed, numbers.view());
    for (std::size_t k = 0; k < packed.graph->tensors.size(); ++k)
      if (tier.has_gradient(k) && !packed.values[k].sliced) return {};
    CollectedSums<F> rest;
    if (take_sums(tier, rest)) return {};
    return rest;
  }

  /// Evaluates some numbers along the block's axis with 50 digits. `sums` are those over the block,
  /// `rest` those over its other numbers.
  void replace(const std::vector<bool>& numbers, const PackedBlock& packed,
               std::vector<BlockAnswer>& answers, CollectedSums<F>* sums,
               const std::optional<CollectedSums<F>>& rest) const {
    if (std::find(numbers.begin(), numbers.end(), true) == numbers.end()) return;
    if (!setting_.exact.is_affordable()) return;
    const ExactInputs exact_inputs = setting_.exact.inputs_of(setting_.position, inputs_);
    CollectedSums<F> exact_sums;
    if (sums != nullptr) exact_sums = rest ? *rest : sums->without_truths();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (!numbers[k]) continue;
      const std::int64_t number = packed.block.first + static_cast<std::int64_t>(k);
      const ExactBlock exact(single_, exact_inputs, {cut_, {number, 1, packed.block.whole}, 1});
      for (BlockAnswer& a : answers) replace(a, exact, packed, k);
      if (sums != nullptr) exact_sums.add_exact(exact, single_);
    }
    if (sums != nullptr) sums->take_truths(exact_sums, inputs_.inexact);
  }

  /// Whether 50 digits are not asked for what double-double found.
  bool decides(double radius, double bound) const {
    return inputs_.inexact ? std::isfinite(radius) : is_decided(radius, bound);
  }

  void replace(BlockAnswer& a, const ExactBlock& exact, const PackedBlock& packed,
               std::size_t k) const {
    const std::vector<Real>& numbers = a.output >= 0 ? exact.value(a.output)
                                       : a.statistic >= 0
                                           ? exact.statistic(static_cast<std::size_t>(a.statistic))
                                           : exact.gradient(a.tensor);
    const StoredRounding& rounding = roundings_.of(a.target);
    if (!a.value->sliced && k > 0) return;
    std::size_t next = 0;
    PackedPlaces(*a.value, packed).each_of(k, [&](std::size_t at, std::size_t stored) {
      const Real& number = numbers[next++];
      if (decides(a.truths.radius[at], a.truths.bound[at])) return;
      a.escalated[at] = 1;
      if (inputs_.inexact && isfinite(number)) {  // of inexact numbers they say the class alone
        a.truths.any_nonfinite[at] = 1;
        return;
      }
      const Permitted allowed = a.packed.permitted(stored);
      put(a.truths, at, unless_open(rounding.of(number, allowed), allowed));
      if (a.is_kept) put_ball(a.packed, stored, rounding.ball_of(number, allowed));
    });
  }

  const SegmentSetting& setting_;
  const GraphContract& contract_;
  const TargetRoundings& roundings_;
  const GraphInputs& inputs_;
  const std::string& cut_;
  const GraphPlan& single_;
};

}  // namespace gradproof
