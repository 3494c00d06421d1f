// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/bounding.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/fast_tier.h"
#include "oracles/judging.h"
#include "oracles/truth_sum.h"

namespace gradproof {

/// A judged tensor and where its truth is found.
struct Slot {
  enum class Part { y, input_gradient, side_value, parameter_gradient };

  std::size_t tensor = 0;  ///< position in the claim's tensors
  std::string name;        ///< of the side value, or of the parameter
  Part part = Part::y;
  Ruling ruling;
  bool summed = false;  ///< a gradient that is added up over units
};

/// Of a summed gradient, one column.
template <class F>
struct ColumnSum {
  ErrorSum<F> bound;
  TruthSum truth;
};

/// Of each slot (empty where it is not summed), all columns.
template <class F>
using Sums = std::vector<std::vector<ColumnSum<F>>>;

template <class F>
Permitted permitted(const ErrorScalar<F>& scalar) {
  return {scalar.total(), scalar.vacuous, scalar.overflow};
}

/// What every unit of a claim is judged by.
template <class F>
struct Plan {
  const Claim& claim;
  const Tensors& inputs;
  const std::optional<GivenStatistics>& given;
  Geometry geometry;
  std::vector<Slot> slots;
};

/// Judges units one after the other: the bound, then the truth by the fast tier, then at 50 digits
/// where an element of the unit is not decided.
template <class F>
class BlockJudge {
 public:
  BlockJudge(const Plan<F>& plan, Sums<F>& sums, Ledger& ledger)
      : plan_(plan),
        sums_(sums),
        page_(ledger.page()),
        bounding_(plan.claim, Bounding<F>(plan.claim)),
        fast_(fast_tier(plan.claim)),
        x_(plan.claim),
        dy_(plan.claim),
        truths_(plan.slots.size()) {}
  BlockJudge(const BlockJudge&) = delete;
  BlockJudge& operator=(const BlockJudge&) = delete;

  void judge(const Batch& batch) {
    page_->open(batch);
    const Claim& claim = plan_.claim;
    for (const TensorSpec& spec : claim.tensors) {
      if (spec.role == Role::input) x_.read(get(plan_.inputs, spec.name), batch);
      if (spec.role == Role::cotangent) dy_.read(get(plan_.inputs, spec.name), batch);
    }
    for (std::int64_t k = 0; k < batch.units; ++k) {
      const bool channels = plan_.geometry.channels();
      const std::int64_t unit =
          channels ? plan_.geometry.unit(batch.block, batch.row + k) : batch.block + k;
      take_block(plan_.geometry.block_of(unit), unit);
      take_unit(unit, k);
      judge_unit(unit, k);
    }
  }

  void close() { page_->close(); }

 private:
  using Scalar = ErrorScalar<F>;

  /// Parameters, where they are not those of the unit before.
  void take_block(std::int64_t block, std::int64_t unit) {
    if (block == block_) return;
    block_ = block;
    unit_ = gather_numbers<double>(plan_.claim, plan_.inputs, unit);
    bounding_.take_numbers(unit_);
    fast_->take_numbers(unit_);
    if (exact_) exact_->take_numbers(unit_);
  }

  void take_unit(std::int64_t unit, std::int64_t k) {
    const std::int64_t size = plan_.geometry.unit_size();
    unit_.x.assign(x_.of(k), x_.of(k) + size);
    if (plan_.claim.backward) unit_.dy.assign(dy_.of(k), dy_.of(k) + size);
    unit_.given = given_for<double>(plan_.given, unit);
  }

  void judge_unit(std::int64_t unit, std::int64_t k) {
    const Evaluation<Scalar> bound = bounding_(unit_);
    const Evaluation<Ball> fast = fast_->evaluate(unit_);
    if (rule(fast, bound)) return enter(fast, bound, unit, k, false);
    if (!exact_) {
      exact_ = std::make_unique<UnitEvaluator<Plain<Real>>>(plan_.claim, Plain<Real>());
      exact_->take_numbers(unit_);
    }
    const Evaluation<Real> exact = (*exact_)(unit_);
    rule(exact, bound);
    enter(exact, bound, unit, k, true);
  }

  /// Rules on every number of the unit; false as soon as one is not decided.
  template <class T>
  bool rule(const Evaluation<T>& truth, const Evaluation<Scalar>& bound) {
    for (std::size_t s = 0; s < plan_.slots.size(); ++s) {
      const Slot& slot = plan_.slots[s];
      truths_[s].clear();
      if (slot.part == Slot::Part::side_value) {
        const auto found = truth.side_values.find(slot.name);
        if (!rule_one(s, found->second, bound.side_values.find(slot.name)->second)) return false;
        continue;
      }
      const Values<T>& values = part_of(truth, slot);
      const Values<Scalar>& errors = part_of(bound, slot);
      truths_[s].reserve(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        if (!rule_one(s, values[i], errors[i])) return false;
    }
    return true;
  }

  bool rule_one(std::size_t s, const Ball& truth, const Scalar& error) {
    if (plan_.slots[s].summed) return is_decided(truth.radius, error.total());
    const Truth& ruled = truths_[s].emplace_back(plan_.slots[s].ruling.of(truth, permitted(error)));
    return is_decided(ruled.radius, ruled.bound);
  }

  bool rule_one(std::size_t s, const Real& truth, const Scalar& error) {
    if (!plan_.slots[s].summed)
      truths_[s].push_back(plan_.slots[s].ruling.of(truth, permitted(error)));
    return true;
  }

  template <class T>
  static const Values<T>& part_of(const Evaluation<T>& evaluation, const Slot& slot) {
    if (slot.part == Slot::Part::y) return evaluation.y;
    if (slot.part == Slot::Part::input_gradient) return evaluation.gradients.input;
    return evaluation.gradients.parameters.find(slot.name)->second;
  }

  /// Puts what was ruled on, adds what is summed.
  template <class T>
  void enter(const Evaluation<T>& truth, const Evaluation<Scalar>& bound, std::int64_t unit,
             std::int64_t k, bool escalated) {
    const Geometry& geometry = plan_.geometry;
    for (std::size_t s = 0; s < plan_.slots.size(); ++s) {
      const Slot& slot = plan_.slots[s];
      Place place{slot.tensor, unit, 1, -1, escalated};
      if (slot.part == Slot::Part::y || slot.part == Slot::Part::input_gradient)
        place = {slot.tensor, geometry.first(unit), geometry.stride(), k, escalated};
      if (!slot.summed)
        page_->put(place, truths_[s]);
      else
        add(sums_[s], part_of(truth, slot), part_of(bound, slot), geometry.first_column(unit));
    }
  }

  template <class T>
  static void add(std::vector<ColumnSum<F>>& sums, const Values<T>& truth,
                  const Values<Scalar>& bound, std::int64_t column) {
    for (std::size_t i = 0; i < truth.size(); ++i) {
      ColumnSum<F>& sum = sums[static_cast<std::size_t>(column) + i];
      sum.truth.add(truth[i]);
      sum.bound.add(Bounding<F>::folded(bound[i]));
    }
  }

  const Plan<F>& plan_;
  Sums<F>& sums_;
  std::unique_ptr<Ledger::Page> page_;
  UnitEvaluator<Bounding<F>> bounding_;
  std::unique_ptr<FastTier> fast_;
  std::unique_ptr<UnitEvaluator<Plain<Real>>> exact_;  ///< once it is needed
  BatchNumbers x_;
  BatchNumbers dy_;
  std::int64_t block_ = -1;
  Unit<double> unit_;
  std::vector<Values<Truth>> truths_;  ///< by slot
};

}  // namespace gradproof
