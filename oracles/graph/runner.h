// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "oracles/graph/cotangents.h"
#include "oracles/graph/stages/known_infinities.h"
#include "oracles/graph/stages/stages.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Evaluates a graph in one block, in one arithmetic: forward, then backward. With packs a block
/// has as many numbers along its axis as there are packs in the plan, times the lanes; the last
/// pack may be filled in part. Errors that the elements of a step's groups share stay apart from
/// independent ones as long as nothing else is mixed with them.
template <class A>
class GraphRunner {
 public:
  using T = typename A::Scalar;

  /// `length` counts the numbers of the block along its axis.
  /// `chosen` is that of chosen_numbers().
  GraphRunner(const GraphPlan& plan, const A& arithmetic, const std::vector<MovedNumbers>& chosen,
              std::int64_t length)
      : plan_(plan),
        a_(&arithmetic),
        chosen_(chosen),
        length_(length),
        fields_(plan.values.size()),
        cotangents_(plan, arithmetic, length),
        scale_gradients_(plan.steps.size()),
        memory_(plan.steps.size()) {}

  /// The tensor's field, to be set; all that was kept for the adjoints is dropped.
  Field<T>& tensor(std::size_t place) {
    forget();
    return fields_[place];
  }
  /// A value before it is stored.
  const Field<T>& value(int place) const { return fields_[static_cast<std::size_t>(place)]; }

  /// Sets the arithmetic of the steps that follow; a bound may count all roundings or none.
  void take(const A& arithmetic) {
    forget();
    a_ = &arithmetic;
    cotangents_.take(arithmetic);
  }
  void forward() {
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) step_forward(k);
  }
  void step_forward(std::size_t k) {
    const PlanStep& s = plan_.steps[k];
    std::vector<Field<T>> kept;
    const StepContext<A> context = context_of(k, kept);
    Field<T> out = stage_value(context, chosen_[k]);
    if (s.row->form == StageForm::elementwise) {
      out.owner = owner_of(context);
      out.is_given = (s.row->is_summand() && settle_infinities(context, out)) ||
                     (s.step->stage == "where" && chooses_known_infinities(context));
    } else if (out.owner == kNobody)
      fold<A>(out);
    fields_[static_cast<std::size_t>(s.value)] = std::move(out);
  }

  /// The numbers of a PlanStatistic for the value that its norm has now.
  Field<T> statistic(std::size_t which) {
    const PlanStatistic& of = plan_.statistics[which];
    std::vector<Field<T>> kept;
    const StepContext<A> context = context_of(of.step, kept);
    Field<T> all;
    for (const GroupStatistics<T>& s : norm_statistics(context))
      all.v.push_back(of.is_rstd ? s.rstd : s.mean);
    return all;
  }
  /// Takes a field for each of the plan's statistics, as exact, and runs forward again from the
  /// first norm that takes them, or from the beginning if no step ran yet. The values are for the
  /// adjoints: one that neither a later step nor an adjoint reads is not computed.
  void use_statistics(const std::vector<Field<T>>& all, bool from_beginning) {
    const std::size_t first = set_statistics(all);
    for (std::size_t k = first; k < memory_.size(); ++k) {
      memory_[k].normalised = {};
      if (k == first) continue;
      memory_[k].moments.clear();
      memory_[k].logistics.clear();
    }
    for (std::size_t k = from_beginning ? 0 : first; k < plan_.steps.size(); ++k)
      if (is_wanted_again(k)) step_forward(k);
  }
  /// True if use_statistics() computes a step's value again after forward().
  bool is_given_again(int value) const {
    std::size_t first = plan_.steps.size();
    for (const PlanStatistic& of : plan_.statistics) first = std::min(first, of.step);
    for (std::size_t k = first; k < plan_.steps.size(); ++k)
      if (plan_.steps[k].value == value) return is_wanted_again(k);
    return false;
  }
  /// Moves a step's value out, before use_statistics() computes it again.
  Field<T> move_out(int place) { return std::move(fields_[static_cast<std::size_t>(place)]); }

  /// Sets the statistics that the norms will take; called before they run forward. Returns the
  /// first of these norms' steps.
  std::size_t set_statistics(const std::vector<Field<T>>& all) {
    std::size_t first = plan_.steps.size();
    for (std::size_t k = 0; k < all.size(); ++k) {
      const PlanStatistic& of = plan_.statistics[k];
      auto& given = memory_[of.step].given;
      given.resize(all[k].v.size());
      for (std::size_t i = 0; i < given.size(); ++i)
        (of.is_rstd ? given[i].rstd : given[i].mean) = all[k].v[i];
      first = std::min(first, of.step);
    }
    return first;
  }

  /// Goes back from a cotangent for each output; several uses of a value add up.
  void backward(std::vector<Field<T>> cotangents) {
    start_backward(std::move(cotangents));
    finish_backward(true);
  }
  /// `gradients` has, by tensor, the part of its gradient that exists before any step goes back.
  void start_backward(std::vector<Field<T>> cotangents, std::vector<Field<T>> gradients = {}) {
    cotangents_.start(std::move(cotangents), std::move(gradients));
  }
  /// The cotangents, for the terms that other segments give and those of a gradient.
  Cotangents<A>& cotangents() { return cotangents_; }
  /// All steps go back. If `alone`, nothing goes back to any tensor from elsewhere. If `once`, only
  /// outputs and gradients are read later, so that values that no step takes any more are freed at
  /// once: each field of a wide row has tens of megabytes.
  void finish_backward(bool alone, bool once = false) {
    for (std::size_t k = plan_.steps.size(); k-- > 0;) {
      step_back(k);
      if (once) release(k);
    }
    cotangents_.finish();
    if (alone) end_backward();
  }
  /// Ends the backward pass: sets zeros for a tensor that nothing went back to.
  void end_backward() { cotangents_.end(); }
  /// Takes the step's cotangent back, which is complete if all later steps went before.
  void step_back(std::size_t k) {
    const PlanStep& s = plan_.steps[k];
    Field<T> dy = cotangents_.take(s.value);
    if (dy.empty()) return;  // nothing behind it has a cotangent
    std::vector<Field<T>> kept;
    const StepContext<A> context = context_of(k, kept);
    const int owner = owner_of(context);
    if (plan_.mixes_shared(s, dy.owner, owner)) fold<A>(dy);
    Terms<T> terms(s.operands.size());
    if (s.row->form == StageForm::contracts)
      return cotangents_.give_products(ProductStage<A>(context), std::move(dy));
    if (s.row->moves()) return give_moved(context, chosen_[k], dy, cotangents_);
    stage_adjoint(context, chosen_[k], fields_[place(s.value)], dy, terms);
    if (has_scale_in_closed_form(s)) set_scale_gradient(context, dy);
    if (s.row->form == StageForm::elementwise) {
      if (owner != kNobody) dy.owner = owner;
      for (Field<T>& t : terms) t.owner = dy.owner;
    }
    if (!scale_gradients_[k].empty()) {
      terms[1] = {};
      cotangents_.give_by_group(s, 1, plan_.norm_behind(k), std::move(scale_gradients_[k]));
    }
    cotangents_.distribute(s, terms, std::move(dy));
  }

  /// The cotangent of a value that no step has taken yet, and the gradient of a tensor by element,
  /// zeros where nothing goes back; empty if it is a sum, or there is none.
  const Field<T>& gradient(std::size_t tensor) const { return cotangents_[tensor].sum(); }
  const std::vector<SummedUse<A>>& summed_uses() const { return cotangents_.uses(); }
  std::vector<typename A::Sum> take_sums(std::size_t use) { return cotangents_.take_sums(use); }

 private:
  void forget() {
    for (StepMemory<A>& of_step : memory_) of_step.clear();
  }

  void release(std::size_t step) {
    memory_[step].clear();
    for (const int value : plan_.last_needed_by(step)) fields_[place(value)] = {};
  }

  /// True if the adjoint does not take the step's own value; running statistics have no adjoint.
  static bool ignores_value(const GraphStage& stage) {
    return stage.form == StageForm::elementwise || is_running(stage) || stage.is_norm();
  }
  bool is_wanted_again(std::size_t k) const {
    const PlanStep& s = plan_.steps[k];
    return !ignores_value(*s.row) || plan_.is_taken(s.value, plan_.steps.size());
  }

  /// True if the norm computes the gradient of the scale in front of it.
  bool has_scale_in_closed_form(const PlanStep& norm) const {
    return norm.scaled_by >= 0 && norm.groups.length > 0;
  }
  void set_scale_gradient(const StepContext<A>& norm, const Field<T>& dy) {
    const PlanStep& scale = plan_.steps[place(norm.s.scaled_by)];
    const Field<T>& unscaled = fields_[place(scale.operands.front())];
    scale_gradients_[place(norm.s.scaled_by)].v = ScaleGradient<A>(norm, unscaled, dy).by_group();
  }

  /// The operands as the step finds them: stored, and with the shared errors of one step at most.
  /// `kept` holds those that had to be changed.
  StepContext<A> context_of(std::size_t k, std::vector<Field<T>>& kept) {
    const PlanStep& s = plan_.steps[k];
    StepContext<A> context{*a_,    plan_, s, static_cast<int>(k), a_->contract_of(s.step->value),
                           memory_};
    kept.reserve(s.operands.size());
    int owner = kNobody;
    for (const int operand : s.operands) {
      if (operand < 0) {
        context.in.push_back(nullptr);
        continue;
      }
      const Field<T>* f = &fields_[static_cast<std::size_t>(operand)];
      const bool step_made = plan_.is_made(operand);
      const bool foreign = GraphPlan::is_foreign(f->owner, owner);
      const bool crossing = f->owner != kNobody && s.row->form != StageForm::elementwise &&
                            s.row->form != StageForm::normalises &&
                            !plan_.stays_shared(f->owner, s);
      const std::string& name = plan_.values[static_cast<std::size_t>(operand)].name;
      const bool stores =
          step_made && a_->stores_value(name) && !(a_->stores_values() && plan_.is_moved(operand));
      if (A::kErrors && step_made && (stores || foreign || crossing)) {
        kept.push_back(*f);
        if (stores)
          for (T& v : kept.back().v) v = a_->value_read(v, name);
        if (foreign || crossing) fold<A>(kept.back());
        f = &kept.back();
      }
      if (f->owner != kNobody) owner = f->owner;
      context.in.push_back(f);
    }
    // Operators of 16 bits may round a number of the text to their own type.
    for (const double number : s.numbers) context.numbers.push_back(a_->literal(T(number)));
    return context;
  }

  const GraphPlan& plan_;
  const A* a_;
  const std::vector<MovedNumbers>& chosen_;
  std::int64_t length_;
  std::vector<Field<T>> fields_;
  Cotangents<A> cotangents_;
  std::vector<Field<T>> scale_gradients_;  ///< by scale, one number for each group of its norm
  std::vector<StepMemory<A>> memory_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
