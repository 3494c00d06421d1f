// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/compare/comparison.h"
#include "oracles/graph/block_numbers.h"
#include "oracles/graph/collected_sums.h"
#include "oracles/graph/exact_block.h"
#include "oracles/graph/segments/exact_segments.h"
#include "oracles/graph/target_roundings.h"

namespace gradproof {

/// What a block says of one value: an output, or a gradient with a term for each element.
struct BlockAnswer {
  std::string target;
  const PlanValue* value = nullptr;
  int output = -1;                   ///< place of an output; -1: it is a gradient
  std::size_t tensor = 0;            ///< of a gradient
  Truths truths = {};                ///< number by number along the block's axis (PackedPlaces)
  BlockAnswers packed = {};          ///< what they were made of, in packs
  std::vector<char> escalated = {};  ///< 1: 50 digits decide the element
  bool is_kept = false;              ///< other segments take it
};

/// A segment and what its blocks are evaluated with. It refers to all of it.
struct SegmentSetting {
  const GraphSetting& graph;
  const TargetRoundings& roundings;
  const Segment& segment;
  std::size_t position = 0;  ///< of the segment
  ExactSegments& exact;
};

inline void put(Truths& into, std::size_t i, const Truth& truth) {
  into.hi[i] = truth.hi;
  into.lo[i] = truth.lo;
  into.radius[i] = truth.radius;
  into.bound[i] = truth.bound;
  into.any_nonfinite[i] = truth.any_nonfinite ? 1 : 0;
}

/// A truth whose class is open, finite or not: any answer is right.
inline Truth unless_open(const Truth& truth, const Permitted& allowed) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool open = allowed.vacuous && allowed.overflow && !std::isfinite(truth.hi);
  return open ? Truth{0, 0, 0, kInfinity, true} : truth;
}

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
      if (answer.output < 0 && !answer.value->sliced)
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
    replace_undecided(shape, answers, exact_sums ? &collected : nullptr);
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
        const double radius = sum.truth.radius;
        undecided = undecided || (radius != 0 && !(radius <= kSharp * error.total()));
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
      undecided = undecided || !is_decided(t.radius, t.bound);
    }
    collected.take(CollectedSums<F>::terms(static_cast<int>(of.tensor), found));
    return undecided;
  }

  /// Evaluates with 50 digits what is undecided, one number along the block's axis after the other;
  /// with `sums` all numbers, for the sums over the block.
  void replace_undecided(const PackedBlock& packed, std::vector<BlockAnswer>& answers,
                         CollectedSums<F>* sums) const {
    const auto length = static_cast<std::size_t>(packed.block.length);
    std::vector<bool> undecided(length, sums != nullptr);
    for (const BlockAnswer& a : answers) {
      const std::size_t of_one = a.truths.size() / (a.value->sliced ? length : 1);
      for (std::size_t at = 0; at < a.truths.size(); ++at)
        if (!is_decided(a.truths.radius[at], a.truths.bound[at])) undecided[at / of_one] = true;
    }
    if (std::find(undecided.begin(), undecided.end(), true) == undecided.end()) return;
    if (!setting_.exact.is_affordable()) return;
    const ExactInputs exact_inputs = setting_.exact.inputs_of(setting_.position, inputs_);
    if (sums != nullptr) sums->forget_truths();
    for (std::size_t k = 0; k < length; ++k) {
      if (!undecided[k]) continue;
      const std::int64_t number = packed.block.first + static_cast<std::int64_t>(k);
      const ExactBlock exact(single_, exact_inputs, {cut_, {number, 1, packed.block.whole}, 1});
      for (BlockAnswer& a : answers) replace(a, exact, packed, k);
      if (sums != nullptr) sums->add_exact(exact, single_);
    }
  }

  void replace(BlockAnswer& a, const ExactBlock& exact, const PackedBlock& packed,
               std::size_t k) const {
    const std::vector<Real>& numbers =
        a.output >= 0 ? exact.value(a.output) : exact.gradient(a.tensor);
    const StoredRounding& rounding = roundings_.of(a.target);
    std::size_t next = 0;
    PackedPlaces(*a.value, packed).each_of(k, [&](std::size_t at, std::size_t stored) {
      const Real& number = numbers[next++];
      if (is_decided(a.truths.radius[at], a.truths.bound[at])) return;
      const Permitted allowed = a.packed.permitted(stored);
      put(a.truths, at, unless_open(rounding.of(number, allowed), allowed));
      a.escalated[at] = 1;
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
