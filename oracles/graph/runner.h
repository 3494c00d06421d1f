// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "oracles/graph/stages/stages.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Labels of each selecting step, as places in its operand's space.
using Chosen = std::vector<std::vector<std::int64_t>>;

/// A graph in one block, in one arithmetic: forward, then backward. With packs a block has as many
/// numbers along its axis as there are packs in the plan, times the lanes; the last pack may be
/// filled in part. Errors that the elements of a step's groups share stay apart from independent
/// ones as long as nothing else is mixed with them.
template <class A>
class GraphRunner {
 public:
  using T = typename A::Scalar;

  /// `length`: numbers of the block along its axis.
  GraphRunner(const GraphPlan& plan, const A& arithmetic, const Chosen& chosen, std::int64_t length)
      : plan_(plan),
        a_(&arithmetic),
        chosen_(chosen),
        length_(length),
        fields_(plan.values.size()),
        memory_(plan.steps.size()) {}

  /// To be set; what was computed from another one is forgotten.
  Field<T>& tensor(std::size_t place) {
    forget();
    return fields_[place];
  }
  /// Before it is stored.
  const Field<T>& value(int place) const { return fields_[static_cast<std::size_t>(place)]; }

  /// The arithmetic of the steps that follow: of a bound, one whose roundings are all, or none.
  void take(const A& arithmetic) {
    forget();
    a_ = &arithmetic;
  }

  void forward() {
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) step_forward(k);
  }
  void step_forward(std::size_t k) {
    const PlanStep& s = plan_.steps[k];
    std::vector<Field<T>> kept;
    const StepContext<A> context = context_of(k, kept);
    Field<T> out = stage_value(context, chosen_[k]);
    if (s.row->form == StageForm::elementwise) out.owner = owner_of(context);
    if (out.owner == kNobody) fold<A>(out);
    fields_[static_cast<std::size_t>(s.value)] = std::move(out);
  }

  /// From a cotangent for each output; of what several outputs and steps use the sum.
  void backward(std::vector<Field<T>> cotangents) {
    start_backward(std::move(cotangents));
    finish_backward(true);
  }
  /// `gradients`: by tensor, what of its gradient there is before any step goes back.
  void start_backward(std::vector<Field<T>> cotangents, std::vector<Field<T>> gradients = {}) {
    cotangents_ = std::move(gradients);
    cotangents_.resize(plan_.values.size());
    uses_.clear();
    for (std::size_t k = 0; k < cotangents.size(); ++k)
      cotangents_[static_cast<std::size_t>(plan_.outputs[k])] = std::move(cotangents[k]);
  }
  /// All steps; `alone`: nothing goes back to any tensor from elsewhere.
  void finish_backward(bool alone) {
    for (std::size_t k = plan_.steps.size(); k-- > 0;) step_back(k);
    if (alone) end_backward();
  }
  /// Zeros for a tensor that nothing went back to: the last step of backward.
  void end_backward() {
    for (std::size_t k = 0; k < plan_.graph->tensors.size(); ++k)
      if (has_gradient(plan_.graph->tensors[k].part) && !has_any_gradient(k))
        cotangents_[k].v.assign(static_cast<std::size_t>(plan_.values[k].count), T(0));
  }
  /// Takes the cotangent of the step's value, which is whole where all later steps went before.
  void step_back(std::size_t k) {
    const PlanStep& s = plan_.steps[k];
    Field<T> dy = std::move(cotangents_[static_cast<std::size_t>(s.value)]);
    if (dy.empty()) return;  // nothing behind it has a cotangent
    std::vector<Field<T>> kept;
    const StepContext<A> context = context_of(k, kept);
    const int owner = owner_of(context);
    if (s.row->form == StageForm::elementwise && owner != kNobody && dy.owner != owner &&
        dy.owner != kNobody)
      fold<A>(dy);
    Terms<T> terms(s.operands.size());
    const Field<T>& y = fields_[static_cast<std::size_t>(s.value)];
    if (s.row->form == StageForm::contracts)
      return give_products(LinearStage<A>(context), std::move(dy));
    stage_adjoint(context, chosen_[k], y, dy, terms);
    if (s.row->form == StageForm::elementwise)
      for (Field<T>& t : terms) t.owner = owner != kNobody ? owner : dy.owner;
    for (std::size_t o = 0; o < terms.size(); ++o)
      if (s.operands[o] >= 0 && (!terms[o].empty() || s.space == 0))
        give(s, o, std::move(terms[o]));
  }

  /// The cotangent of a value that no step has taken yet, and the gradient of a tensor by element,
  /// zeros where nothing goes back; empty where it is a sum, or there is none.
  const Field<T>& gradient(std::size_t tensor) const { return cotangents_[tensor]; }
  const std::vector<SummedUse<A>>& summed_uses() const { return uses_; }

 private:
  /// Whether something went back to the tensor.
  bool has_any_gradient(std::size_t tensor) const {
    const auto is_of = [&](const auto& use) { return use.tensor == static_cast<int>(tensor); };
    return !cotangents_[tensor].empty() || std::any_of(uses_.begin(), uses_.end(), is_of);
  }

  void forget() {
    for (StepMemory<A>& of_step : memory_) of_step = {};
  }

  /// Operands as the step finds them: stored, and with the shared errors of one step at most.
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
      const bool foreign = f->owner != kNobody && owner != kNobody && f->owner != owner;
      const bool crossing = f->owner != kNobody && s.row->form != StageForm::elementwise &&
                            s.row->form != StageForm::normalises &&
                            !plan_.stays_shared(f->owner, s);
      const std::string& name = plan_.values[static_cast<std::size_t>(operand)].name;
      const bool stores = step_made && a_->stores_value(name);
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
    for (const double number : s.numbers) context.numbers.push_back(a_->stored(T(number)));
    return context;
  }

  /// The gradient of the product's operand, and the sums of the other two over all rows.
  void give_products(const LinearStage<A>& stage, Field<T> dy) {
    const PlanStep& s = stage.step();
    fold<A>(dy);
    accumulate(s.operands[0], stage.input_gradient(dy));
    const PlanValue& space = plan_.values[static_cast<std::size_t>(s.value)];
    if (space.sliced) leave_out_idle_lanes(plan_, space, length_, dy);
    for (std::size_t o = 1; o < s.operands.size(); ++o)
      give_sums({s.operands[o], stage.rows(), order_of(s),
                 o == 1 ? stage.weight_sums(dy) : stage.bias_sums(dy)},
                space, kNobody);
  }

  const SumOrder& order_of(const PlanStep& s) const {
    return a_->contract_of(s.step->value).order(SumRole::parameters);
  }

  /// Hands an operand sums over elements of `space`, whose shared errors are those of step `owner`.
  void give_sums(SummedUse<A> use, const PlanValue& space, int owner) {
    const PlanValue& to = plan_.values[static_cast<std::size_t>(use.tensor)];
    const bool over_block = space.sliced && !to.sliced;
    if (!plan_.is_tensor(use.tensor) || to.sliced) {
      Field<T> results = results_of<A>(use.sums, use.order.chain_of(use.length), use.share);
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

  /// Hands an operand its terms, summed where several elements share one of the operand's.
  void give(const PlanStep& s, std::size_t o, Field<T> terms) {
    const int operand = s.operands[o];
    const PlanValue& to = plan_.values[static_cast<std::size_t>(operand)];
    if (terms.owner == kNobody) fold<A>(terms);
    const bool elementwise = s.row->form == StageForm::elementwise;
    // The terms are an operator's own result, which a second one adds up.
    const bool own_operator = elementwise || s.row->form == StageForm::turns;
    if (s.maps[o].empty()) return accumulate(operand, std::move(terms));
    if (own_operator && a_->stores_values())
      for (T& v : terms.v) v = a_->stored(v);
    if (terms.owner != kNobody && !plan_.stays_shared(terms.owner, s, o)) fold<A>(terms);
    const std::int64_t length = to.count > 0 ? s.space / to.count : 0;
    const int wide = elementwise ? s.value : s.operands.front();
    const PlanValue& space = plan_.values[static_cast<std::size_t>(wide)];
    if (space.sliced && !to.sliced) leave_out_idle_lanes(plan_, space, length_, terms);
    give_sums({operand, length, order_of(s), sums_by<A>(terms.v, s.maps[o], to.count),
               a_->share_of_range(s.step->stage, StoredPart::parameter_sums)},
              space, terms.owner);
  }

  /// Each use's gradient was stored by its own operator; the last result is stored by whoever takes
  /// it.
  void accumulate(int operand, Field<T> more) {
    Field<T>& into = cotangents_[static_cast<std::size_t>(operand)];
    const bool passes_on = plan_.is_made(operand);
    if (into.empty()) {
      into = std::move(more);
      if (passes_on && a_->stores_values())
        for (T& v : into.v) v = a_->stored(v);
      return;
    }
    if (into.owner != more.owner) {
      fold<A>(into);
      fold<A>(more);
    }
    for (std::size_t i = 0; i < into.v.size(); ++i) {
      const T before = passes_on ? into.v[i] : a_->stored(into.v[i]);
      const T sum = before + a_->stored(more.v[i]);
      into.v[i] = passes_on ? a_->stored(sum) : sum;
    }
  }

  const GraphPlan& plan_;
  const A* a_;
  const Chosen& chosen_;
  std::int64_t length_;
  std::vector<Field<T>> fields_;
  std::vector<Field<T>> cotangents_;
  std::vector<SummedUse<A>> uses_;
  std::vector<StepMemory<A>> memory_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
