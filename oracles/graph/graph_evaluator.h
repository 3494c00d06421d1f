// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
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
    std::vector<OpenSum> open_sums = take_sums(*tier, collected);
    const auto take = [&](BlockAnswer answer, const auto& get) {
      const PackedPlaces places(*answer.value, shape);
      PackedAnswers found(places.stored_count());
      get(found);
      if (answer.output < 0 && answer.statistic < 0 && !answer.value->sliced)
        take_terms(answer, found.answers, collected, open_sums);
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
      if (!setting_.asked.contains(value.name)) continue;
      if (!value.sliced && block.first > 0) continue;  // the first block has said it
      take({.target = value.name, .value = &value, .statistic = static_cast<int>(k)},
           [&](PackedAnswers& found) {
             tier->statistic(k, roundings_.of(value.name).type(), found);
           });
    }
    for (std::size_t k = 0; k < packed.graph->tensors.size(); ++k) {
      const PlanValue& value = packed.values[k];
      if (tier->has_gradient(k) && (!value.sliced || is_asked(value.name)))
        take({.target = gradient_name(value.name),
              .value = &value,
              .tensor = k,
              .is_kept = setting_.segment.gradients.contains(value.name)},
             [&](PackedAnswers& found) {
               tier->gradient(k, roundings_.of(gradient_name(value.name)).type(), found);
             });
    }
    std::vector<bool> undecided = undecided_numbers(shape.block, answers);
    if (inputs_.alone && !inputs_.inexact)
      decide_by_class(undecided, shape, answers, collected, open_sums);
    if (open_sums.empty()) {
      replace(undecided_numbers(shape.block, answers), shape, answers, nullptr, {});
      return answers;
    }
    const auto rest = sums_without(undecided, *tier, packed, shape, numbers);
    if (!rest) undecided.assign(undecided.size(), true);
    replace(undecided, shape, answers, &collected, rest);
    return answers;
  }

 private:
  /// Forward alone gives what later segments take, backward the outputs of the whole graph.
  bool wants(const std::string& output) const {
    return inputs_.backward
               ? has_name(setting_.segment.outputs, output) && setting_.asked.contains(output)
               : setting_.segment.passes_on(output);
  }
  /// Whether the gradient of a tensor is judged, or other segments take it.
  bool is_asked(const std::string& tensor) const {
    return setting_.asked.contains(gradient_name(tensor)) ||
           setting_.segment.gradients.contains(tensor);
  }

  static BlockAnswer answer_of(BlockAnswer a, const PackedPlaces& places, PackedAnswers found) {
    a.truths = {places.by_number(found.truths.hi), places.by_number(found.truths.lo),
                places.by_number(found.truths.radius), places.by_number(found.truths.bound),
                places.by_number(found.truths.any_nonfinite)};
    a.escalated.resize(places.count());
    a.packed = std::move(found.answers);
    return a;
  }

  /// The sums over a block. The result: those that double-double does not decide.
  std::vector<OpenSum> take_sums(const GraphTier& tier, CollectedSums<F>& collected) const {
    std::vector<OpenSum> open;
    for (std::size_t u = 0; u < tier.uses(); ++u) {
      const BlockUse from = tier.use(u);
      const bool asked = is_asked(single_.values[static_cast<std::size_t>(from.tensor)].name);
      std::vector<BlockSum> sums(from.count);
      tier.sums(u, sums.data());
      typename CollectedSums<F>::Use use{from.tensor, from.length, from.order, {}, {}, from.share};
      for (const BlockSum& sum : sums) {
        use.bounds.push_back(ErrorSum<F>::read(sum));
        use.truths.emplace_back().add(sum.truth);
        // The chain over all blocks is no shorter than that of this one.
        const auto error = use.bounds.back().sum(from.order.chain_of(from.length), from.share);
        if (asked && !decides(sum.truth.radius, error.total()))
          open.push_back({collected.uses(), use.bounds.size() - 1});
      }
      collected.take(std::move(use));
    }
    return open;
  }

  /// The gradient of a tensor that no block cuts, as sums of one term each; the same in `open`.
  void take_terms(const BlockAnswer& of, const BlockAnswers& found, CollectedSums<F>& collected,
                  std::vector<OpenSum>& open) const {
    const StoredRounding& rounding = roundings_.of(of.target);
    for (std::size_t i = 0; is_asked(of.value->name) && i < found.hi.size(); ++i) {
      const Truth t = rounding.of(found.ball(i), found.permitted(i));
      if (!decides(t.radius, t.bound)) open.push_back({collected.uses(), i});
    }
    collected.take(CollectedSums<F>::terms(static_cast<int>(of.tensor), found));
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
    if (!take_sums(tier, rest).empty()) return {};
    return rest;
  }

  /// What is NaN, infinite or 0 because an input is not finite: of the numbers that 50 digits are
  /// asked for, and of the sums, which a NaN decides alone.
  void decide_by_class(const std::vector<bool>& numbers, const PackedBlock& packed,
                       std::vector<BlockAnswer>& answers, CollectedSums<F>& sums,
                       std::vector<OpenSum>& open_sums) const {
    const ExactNumbers none;
    const ExactInputs inputs(inputs_, none, none);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      if (!numbers[k] || !has_unknown(answers, packed, k)) continue;
      std::optional<ClassBlock> classes;
      try {
        classes.emplace(single_, inputs, one_of(packed, k));
      } catch (const OpenComparison&) {
        continue;
      }
      for (BlockAnswer& a : answers) replace(a, *classes, packed, k);
      CollectedSums<F>::each_sum(*classes, single_, [&](const OpenSum& at, const SignedClasses& c) {
        if (c.is(SignedClass::nan) && std::erase(open_sums, at) > 0) sums.set_nan(at);
      });
    }
  }

  /// Whether double-double knows nothing of some answer of a number.
  static bool has_unknown(const std::vector<BlockAnswer>& answers, const PackedBlock& packed,
                          std::size_t k) {
    return std::any_of(answers.begin(), answers.end(), [&](const BlockAnswer& a) {
      bool found = false;
      PackedPlaces(*a.value, packed).each_of(a.value->sliced ? k : 0, [&](std::size_t at, auto) {
        found = found || std::isinf(a.truths.radius[at]);
      });
      return found;
    });
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
      const ExactBlock exact(single_, exact_inputs, one_of(packed, k));
      for (BlockAnswer& a : answers) replace(a, exact, packed, k);
      if (sums != nullptr) exact_sums.add_exact(exact, single_);
    }
    if (sums != nullptr) sums->take_truths(exact_sums, inputs_.inexact);
  }

  /// One number along the block's axis.
  PackedBlock one_of(const PackedBlock& packed, std::size_t k) const {
    return {cut_, {packed.block.first + static_cast<std::int64_t>(k), 1, packed.block.whole}, 1};
  }

  /// Whether 50 digits are not asked for what double-double found.
  bool decides(double radius, double bound) const {
    return inputs_.inexact ? std::isfinite(radius) : is_decided(radius, bound);
  }

  static std::optional<Real> known(const Real& number) { return number; }
  static std::optional<Real> known(const SignedClasses& classes) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (classes.is(SignedClass::nan)) return Real(std::numeric_limits<double>::quiet_NaN());
    if (classes.is(SignedClass::plus_inf)) return Real(kInfinity);
    if (classes.is(SignedClass::minus_inf)) return Real(-kInfinity);
    if (classes.is(SignedClass::zero)) return Real(0);
    return {};
  }

  /// The truths that `one`, the k-th number along the block's axis, knows and nothing decided yet.
  template <class Functions>
  void replace(BlockAnswer& a, const PlainBlock<Functions>& one, const PackedBlock& packed,
               std::size_t k) const {
    const auto& numbers = a.output >= 0      ? one.value(a.output)
                          : a.statistic >= 0 ? one.statistic(static_cast<std::size_t>(a.statistic))
                                             : one.gradient(a.tensor);
    const StoredRounding& rounding = roundings_.of(a.target);
    if (!a.value->sliced && k > 0) return;
    std::size_t next = 0;
    PackedPlaces(*a.value, packed).each_of(k, [&](std::size_t at, std::size_t stored) {
      const std::size_t of_one = next++;
      if (decides(a.truths.radius[at], a.truths.bound[at])) return;
      const std::optional<Real> found = known(numbers[of_one]);
      if (!found) return;
      const Real& number = *found;
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
