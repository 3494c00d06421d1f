// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/blocks/exact_block.h"
#include "oracles/graph/collected_sums.h"
#include "oracles/graph/segments/block_answer.h"
#include "oracles/graph/segments/exact_segments.h"
#include "oracles/graph/target_roundings.h"

namespace gradproof {

/// Decides the open answers of double-double in the blocks of a segment: by the numbers' classes if
/// these are enough, else with 50 digits. F is the type that the contract accumulates in.
template <class F>
class UndecidedAnswers {
 public:
  /// `single` is a plan of one number along the axis of the blocks. All arguments outlive this.
  UndecidedAnswers(const SegmentSetting& setting, const GraphInputs& inputs,
                   const GraphPlan& single)
      : setting_(setting), roundings_(setting.roundings), inputs_(inputs), single_(single) {}

  /// True if the result of double-double needs no 50 digits.
  bool decides(double radius, double bound) const {
    return is_inexact() ? std::isfinite(radius) : is_decided(radius, bound);
  }

  /// True for each number along the block's axis of which some answer needs 50 digits.
  std::vector<bool> numbers(const PackedBlock& packed,
                            const std::vector<BlockAnswer>& answers) const {
    std::vector<bool> undecided(static_cast<std::size_t>(packed.block.length));
    for (const BlockAnswer& a : answers) {
      if (is_inexact() ? a.are_known : a.are_decided) continue;
      const PackedPlaces places(*a.value, packed);
      for (std::size_t k = 0; k < (a.value->sliced ? undecided.size() : 1); ++k)
        places.each_of(k, [&](std::size_t at) {
          if (!decides(a.truths.radius[at], a.truths.bound[at])) undecided[k] = true;
        });
    }
    return undecided;
  }

  /// Decides answers that are NaN, infinite or 0 because an input is not finite: those of the
  /// undecided numbers, and the sums, which a NaN alone decides.
  void decide_by_class(const std::vector<bool>& numbers, const PackedBlock& packed,
                       std::vector<BlockAnswer>& answers, CollectedSums<F>& sums,
                       std::set<OpenSum>& open_sums) const {
    if (!inputs_.alone || is_inexact()) return;
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
        if (c.is(SignedClass::nan) && open_sums.erase(at) > 0) sums.set_nan(at);
      });
    }
  }

  /// Evaluates some numbers along the block's axis with 50 digits. `sums` are the sums over the
  /// block, `rest` the sums over its other numbers.
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
    if (sums != nullptr) sums->take_truths(exact_sums, is_inexact());
  }

 private:
  bool is_inexact() const { return inputs_.inexact != nullptr; }

  /// True if double-double gives no finite radius for some answer of a number.
  static bool has_unknown(const std::vector<BlockAnswer>& answers, const PackedBlock& packed,
                          std::size_t k) {
    return std::any_of(answers.begin(), answers.end(), [&](const BlockAnswer& a) {
      bool found = false;
      PackedPlaces(*a.value, packed).each_of(a.value->sliced ? k : 0, [&](std::size_t at) {
        found = found || std::isinf(a.truths.radius[at]);
      });
      return found;
    });
  }

  /// The block of the k-th number along the block's axis.
  PackedBlock one_of(const PackedBlock& packed, std::size_t k) const {
    Block one = packed.block;
    one.first += static_cast<std::int64_t>(k);
    one.length = 1;
    return {packed.axis, one, 1};
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

  /// Replaces the undecided truths of the k-th number along the block's axis by those of `one`.
  template <class Functions>
  void replace(BlockAnswer& a, const PlainBlock<Functions>& one, const PackedBlock& packed,
               std::size_t k) const {
    const auto& numbers = a.output >= 0      ? one.value(a.output)
                          : a.statistic >= 0 ? one.statistic(static_cast<std::size_t>(a.statistic))
                                             : one.gradient(a.tensor);
    const StoredRounding& rounding = roundings_.of(a.target);
    if (!a.value->sliced && k > 0) return;
    std::size_t next = 0;
    PackedPlaces(*a.value, packed).each_of(k, [&](std::size_t at) {
      const std::size_t of_one = next++;
      if (decides(a.truths.radius[at], a.truths.bound[at])) return;
      const std::optional<Real> found = known(numbers[of_one]);
      if (!found) return;
      const Real& number = *found;
      if (a.escalated.empty()) a.escalated.resize(a.truths.size());
      a.escalated[at] = 1;
      if (is_inexact() && isfinite(number)) {  // of inexact numbers they say the class alone
        a.truths.any_nonfinite[at] = 1;
        return;
      }
      const Permitted allowed = a.packed.permitted(at);
      put(a.truths, at, with_open_class(rounding.of(number, allowed), allowed));
      if (a.is_kept) put_ball(a.packed, at, rounding.ball_of(number, allowed));
    });
  }

  const SegmentSetting& setting_;
  const TargetRoundings& roundings_;
  const GraphInputs& inputs_;
  const GraphPlan& single_;
};

}  // namespace gradproof
