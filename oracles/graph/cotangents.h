// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "oracles/graph/accumulated_gradient.h"
#include "oracles/graph/stages/stages.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The cotangents of values and gradients of tensors of a graph in one block, in one arithmetic. A
/// value's cotangent is the sum of the terms of the steps that take it; so is the gradient of a
/// tensor with a number for each element. Gradients that sum over a block are kept use by use.
template <class A>
class Cotangents {
 public:
  using T = typename A::Scalar;

  /// `length` is the count of numbers of the block along its axis.
  Cotangents(const GraphPlan& plan, const A& arithmetic, std::int64_t length)
      : plan_(plan), a_(&arithmetic), length_(length) {}
  void take(const A& arithmetic) { a_ = &arithmetic; }

  /// `gradients` has, by tensor, the part of its gradient that exists before any step goes back.
  void start(std::vector<Field<T>> of_outputs, std::vector<Field<T>> gradients) {
    sums_.clear();
    uses_.clear();
    for (std::size_t k = 0; k < plan_.values.size(); ++k)
      sums_.emplace_back(plan_.is_made(static_cast<int>(k)));
    for (const PlanStep& s : plan_.steps)
      for (std::size_t k = 0; k < s.operands.size(); ++k)
        if (s.operands[k] >= 0 && s.row->goes_back(k)) sums_[place(s.operands[k])].expect();
    for (std::size_t k = 0; k < gradients.size(); ++k) sums_[k].start(std::move(gradients[k]));
    for (std::size_t k = 0; k < of_outputs.size(); ++k)
      sums_[place(plan_.outputs[k])].start(std::move(of_outputs[k]));
  }
  /// Says that the cotangent given to start() is a sum of so many terms.
  void start_from(std::size_t at, FieldNumbers<EstimateOf<T>> sizes, int terms) {
    sums_[at].start_from(std::move(sizes), terms);
  }
  /// Counts one more term, as other segments may give the tensor more.
  void expect_more(std::size_t at) { sums_[at].expect(); }
  /// Finishes all sums, once nothing goes back any more.
  void finish() {
    for (AccumulatedGradient<A>& sum : sums_) sum.finish(*a_);
  }
  /// Finishes all sums, and sets zeros for a tensor that nothing went back to.
  void end() {
    finish();
    for (std::size_t k = 0; k < plan_.graph->tensors.size(); ++k)
      if (has_gradient(plan_.graph->tensors[k].part) && !has_any(k))
        sums_[k].sum().v.assign(place(plan_.values[k].count), T(0));
  }

  /// Moves out the cotangent of a value, after the last step that takes the value went back.
  Field<T> take(int value) { return sums_[place(value)].taken(*a_); }
  const AccumulatedGradient<A>& operator[](std::size_t at) const { return sums_[at]; }
  Field<T>& sum(std::size_t at) { return sums_[at].sum(); }
  const std::vector<SummedUse<A>>& uses() const { return uses_; }
  std::vector<typename A::Sum> take_sums(std::size_t use) { return std::move(uses_[use].sums); }

  /// Hands each operand its terms; `dy` is the cotangent of the step's value.
  void distribute(const PlanStep& s, Terms<T>& terms, Field<T> dy) {
    std::size_t last = terms.size();  // that takes the cotangent as it is, and may keep it
    for (std::size_t o = 0; o < terms.size(); ++o)
      if (s.operands[o] >= 0 && terms.is_cotangent(o) && s.maps[o].empty()) last = o;
    for (std::size_t o = 0; o < terms.size(); ++o) {
      if (s.operands[o] < 0 || o == last) continue;
      if (terms.is_cotangent(o))
        pass_on(s, o, dy);
      else if (!terms[o].empty() || s.space == 0)
        distribute(s, o, std::move(terms[o]));
    }
    if (last < terms.size()) distribute(s, last, std::move(dy));
  }

  /// Hands an operand its terms, summed if several elements share one of the operand's.
  void distribute(const PlanStep& s, std::size_t o, Field<T> terms) {
    const bool elementwise = s.row->form == StageForm::elementwise;
    if (s.maps[o].empty()) {
      // Terms without shared errors cannot produce a sum with some: they are folded here.
      if (terms.owner == kNobody && !elementwise) fold<A>(terms);
      return accumulate(s.operands[o], std::move(terms));
    }
    // The terms are an operator's own result, which a second one adds up.
    if (is_own_operator(s) && a_->stores_values())
      for (T& v : terms.v) v = a_->stored(v);
    if (has_idle_lanes(s, o)) leave_out_idle_lanes(plan_, space_of(s), length_, terms);
    give_sums_of(s, o, terms);
  }

  /// Hands an operand the step's cotangent as its terms; other operands may take it too.
  void pass_on(const PlanStep& s, std::size_t o, const Field<T>& cotangent) {
    const bool changes = (is_own_operator(s) && a_->stores_values()) || has_idle_lanes(s, o);
    if (s.maps[o].empty() || changes)
      distribute(s, o, cotangent);
    else
      give_sums_of(s, o, cotangent);
  }

  /// Hands an operand of which each group of `norm` has one number each group's gradient.
  void give_by_group(const PlanStep& s, std::size_t o, const PlanStep& norm, Field<T> of_groups) {
    const PlanValue& to = plan_.values[static_cast<std::size_t>(s.operands[o])];
    const PlanValue& space = space_of(s);
    fold<A>(of_groups);
    const std::int64_t last = plan_.block_length - 1;
    const std::int64_t filled = length_ - last * kLanesOf<T>;
    const bool over_block = space.sliced && !to.sliced;
    std::vector<typename A::Sum> sums(place(to.count), new_sum(space, to));
    for (std::size_t g = 0; g < of_groups.v.size(); ++g) {
      const std::int64_t first = *norm.groups.members_of(static_cast<std::int64_t>(g));
      const bool in_last = first / space.inner % plan_.block_length == last;
      const T& number = of_groups.v[g];
      sums[element_of_group(norm, g, s.maps[o])].add(
          over_block && in_last && filled < kLanesOf<T> ? T(kept(number, filled)) : number);
    }
    const std::int64_t length = to.count > 0 ? norm.groups.count / to.count : 0;
    give_sums({s.operands[o], length, order_of(s), std::move(sums)}, space, kNobody);
  }

  /// The gradients of a product's operands; those over axes that they lack are sums.
  void give_products(const ProductStage<A>& stage, Field<T> dy) {
    fold<A>(dy);
    const PlanStep& s = stage.step();
    const PlanValue& space = plan_.values[place(s.value)];
    if (space.sliced) leave_out_idle_lanes(plan_, space, length_, dy);
    for (std::size_t o = 0; o < s.operands.size(); ++o) {
      const SumOrder& order = order_of(s, o == 0 ? SumRole::gradients : SumRole::parameters);
      auto sums = stage.sums(o, dy, new_sum(space, plan_.values[place(s.operands[o])]));
      give_sums({s.operands[o], stage.terms(o + 1), order, std::move(sums), stage.settings(o + 1)},
                space, kNobody);
    }
  }
  /// Adds one use's part to the cotangent of a value, or to the gradient of a tensor by element.
  void accumulate(int operand, Field<T> more) { sums_[place(operand)].add(*a_, std::move(more)); }

 private:
  /// True if the step's adjoint has an operator of its own for each operand.
  static bool is_own_operator(const PlanStep& s) {
    return s.row->form == StageForm::elementwise || s.row->form == StageForm::turns ||
           s.row->form == StageForm::scans || s.row->form == StageForm::sorts;
  }
  /// True if sums of the operand's terms go over a block whose last pack is not full.
  bool has_idle_lanes(const PlanStep& s, std::size_t o) const {
    const bool is_sliced = plan_.values[place(s.operands[o])].sliced;
    return space_of(s).sliced && !is_sliced && length_ % kLanesOf<T> != 0;
  }

  /// Hands an operand the sums of the elements' terms that share one of its own.
  void give_sums_of(const PlanStep& s, std::size_t o, const Field<T>& terms) {
    const PlanValue& to = plan_.values[place(s.operands[o])];
    const PlanValue& space = space_of(s);
    bool folds = terms.owner == kNobody && s.row->form != StageForm::elementwise;
    const PlanStep* groups = nullptr;  // whose errors cancel in the sum over each of its groups
    if (terms.owner != kNobody && !plan_.stays_shared(terms.owner, s, o)) {
      const PlanStep& owner = plan_.steps[place(terms.owner)];
      if (A::kErrors && has_whole_groups(owner, space, to))
        groups = &owner;
      else
        folds = true;
    }
    const std::int64_t length = to.count > 0 ? s.space / to.count : 0;
    auto sums = groups == nullptr
                    ? sums_by<A>(terms.v, s.maps[o], to.count, new_sum(space, to), folds)
                    : sums_by_group(terms.v, *groups, s.maps[o], to.count);
    give_sums({s.operands[o],
               length,
               order_of(s),
               std::move(sums),
               {.share = a_->share_of_range(s.step->stage, StoredPart::parameter_sums)}},
              space, groups == nullptr && !folds ? terms.owner : kNobody);
  }

  /// True if something went back to the tensor.
  bool has_any(std::size_t tensor) const {
    const auto is_of = [&](const auto& use) { return use.tensor == static_cast<int>(tensor); };
    return !sums_[tensor].empty() || std::any_of(uses_.begin(), uses_.end(), is_of);
  }

  const SumOrder& order_of(const PlanStep& s, SumRole role = SumRole::parameters) const {
    return a_->contract_of(s.step->value).order(role);
  }

  /// Hands an operand sums over elements of `space`, whose shared errors are those of step `owner`.
  void give_sums(SummedUse<A> use, const PlanValue& space, int owner) {
    const PlanValue& to = plan_.values[static_cast<std::size_t>(use.tensor)];
    const bool over_block = space.sliced && !to.sliced;
    if (!plan_.is_tensor(use.tensor) || to.sliced) {
      Field<T> results = results_of<A>(use.sums, use.order.chain_of(use.length), use.settings);
      results.owner = owner;
      accumulate(use.tensor, std::move(results));
      return;
    }
    if (over_block) {
      for (auto& sum : use.sums) sum = sum.joined();
      use.length = use.length / plan_.block_length * length_;
    }
    uses_.push_back(std::move(use));
  }

  /// An empty sum over elements of `space` for one of `to`, a part of the sum over all blocks.
  typename A::Sum new_sum(const PlanValue& space, const PlanValue& to) const {
    const bool over_block = space.sliced && !to.sliced;
    return a_->new_sum(over_block ? static_cast<double>(kLanesOf<T> * plan_.blocks) : 1);
  }

  const PlanValue& space_of(const PlanStep& s) const {
    const bool elementwise = s.row->form == StageForm::elementwise;
    return plan_.values[static_cast<std::size_t>(elementwise ? s.value : s.operands.front())];
  }

  /// True if the elements of `space` are those that the step groups, and `to` has one number for
  /// all elements of a group.
  bool has_whole_groups(const PlanStep& owner, const PlanValue& space, const PlanValue& to) const {
    const PlanValue& grouped = plan_.values[static_cast<std::size_t>(owner.operands.front())];
    return owner.groups.length > 0 && grouped.axes == space.axes &&
           std::none_of(to.axes.begin(), to.axes.end(),
                        [&](const std::string& axis) { return has_name(owner.step->axes, axis); });
  }
  static std::size_t element_of_group(const PlanStep& owner, std::size_t group,
                                      const IndexMap& map) {
    const std::int32_t first = *owner.groups.members_of(static_cast<std::int64_t>(group));
    return map.empty() ? place(first) : place(map[place(first)]);
  }

  /// The sums by group: sums of one group's terms share their errors, those of others do not.
  std::vector<typename A::Sum> sums_by_group(const FieldNumbers<T>& terms, const PlanStep& owner,
                                             const IndexMap& map, std::int64_t count) const {
    const double parts = static_cast<double>(kLanesOf<T> * plan_.blocks * owner.groups.count);
    const auto none = a_->new_sum(parts);
    const auto of_groups = sums_by<A>(terms, owner.groups.of, owner.groups.count, none, false);
    std::vector<typename A::Sum> sums(place(count), none);
    for (std::size_t g = 0; g < of_groups.size(); ++g)
      if constexpr (A::kErrors) sums[element_of_group(owner, g, map)].add(of_groups[g].folded());
    return sums;
  }

  const GraphPlan& plan_;
  const A* a_;
  std::int64_t length_;
  std::vector<AccumulatedGradient<A>> sums_;  ///< by GraphPlan::values
  std::vector<SummedUse<A>> uses_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
