// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "oracles/graph/stages/elementwise_stage.h"
#include "oracles/graph/stages/norm_stage.h"
#include "oracles/graph/stages/softmax_stage.h"
#include "oracles/graph/stages/window_stage.h"

namespace gradproof {

/// Labels of each selecting step, as places in its operand's space.
using Chosen = std::vector<std::vector<std::int64_t>>;

/// The part of a tensor's gradient that sums over several elements, from one use of it: to be added
/// up over blocks.
template <class A>
struct SummedUse {
  int tensor = 0;
  std::int64_t length = 0;  ///< terms of one sum, in this block
  std::vector<typename A::Sum> sums;
};

/// A graph in one block, in one arithmetic: forward, then backward. Errors that the elements of a
/// step's groups share stay apart from independent ones as long as nothing else is mixed with them.
template <class A>
class GraphRunner {
 public:
  using T = typename A::Scalar;

  GraphRunner(const GraphPlan& plan, const A& arithmetic, const Chosen& chosen)
      : plan_(plan), a_(arithmetic), chosen_(chosen), fields_(plan.values.size()) {}

  Field<T>& tensor(std::size_t place) { return fields_[place]; }
  /// Before it is stored.
  const Field<T>& value(int place) const { return fields_[static_cast<std::size_t>(place)]; }

  void forward() {
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      const PlanStep& s = plan_.steps[k];
      std::vector<Field<T>> kept;
      const StepContext<A> context = context_of(k, kept);
      Field<T> out = value_of(context, k);
      if (s.row->form == StageForm::elementwise) out.owner = owner_of(context);
      if (out.owner == kNobody) fold(out);
      fields_[static_cast<std::size_t>(s.value)] = std::move(out);
    }
  }

  /// From a cotangent for each output; of what several outputs and steps use the sum.
  void backward(std::vector<Field<T>> cotangents) {
    cotangents_.assign(plan_.values.size(), {});
    uses_.clear();
    for (std::size_t k = 0; k < cotangents.size(); ++k)
      cotangents_[static_cast<std::size_t>(plan_.outputs[k])] = std::move(cotangents[k]);
    for (std::size_t k = plan_.steps.size(); k-- > 0;) step_back(k);
  }

  /// The gradient of a tensor that has a term for each element; empty where there is none.
  const Field<T>& gradient(std::size_t tensor) const { return cotangents_[tensor]; }
  const std::vector<SummedUse<A>>& summed_uses() const { return uses_; }

 private:
  static void fold(Field<T>& f) {
    if constexpr (A::kErrors)
      for (T& v : f.v) v = A::folded(v);
    f.owner = kNobody;
  }

  /// Whether the errors that a step's groups share stay shared when these axes are summed: they lie
  /// inside one group.
  bool inside_group(int owner, const std::vector<std::string>& summed) const {
    const PlanStep& s = plan_.steps[static_cast<std::size_t>(owner)];
    std::vector<std::string> over = s.step->axes;
    if (s.step->stage == "group_norm") over.erase(over.begin());
    return std::all_of(summed.begin(), summed.end(),
                       [&](const std::string& axis) { return has_name(over, axis); });
  }

  static int owner_of(const StepContext<A>& context) {
    for (const Field<T>* f : context.in)
      if (f != nullptr && f->owner != kNobody) return f->owner;
    return kNobody;
  }

  /// Operands as the step finds them: stored, and with the shared errors of one step at most.
  /// `kept` holds those that had to be changed.
  StepContext<A> context_of(std::size_t k, std::vector<Field<T>>& kept) const {
    const PlanStep& s = plan_.steps[k];
    StepContext<A> context{a_, plan_, s, static_cast<int>(k)};
    kept.reserve(s.operands.size());
    int owner = kNobody;
    for (const int operand : s.operands) {
      if (operand < 0) {
        context.in.push_back(nullptr);
        continue;
      }
      const Field<T>* f = &fields_[static_cast<std::size_t>(operand)];
      const bool step_made = !plan_.is_tensor(operand);
      const bool foreign = f->owner != kNobody && owner != kNobody && f->owner != owner;
      const bool crossing = f->owner != kNobody && s.row->form != StageForm::elementwise &&
                            s.row->form != StageForm::normalises &&
                            !inside_group(f->owner, s.step->axes);
      if (A::kErrors && step_made) {
        kept.push_back(*f);
        for (T& v : kept.back().v) v = a_.stored(v);
        if (foreign || crossing) fold(kept.back());
        f = &kept.back();
      }
      if (f->owner != kNobody) owner = f->owner;
      context.in.push_back(f);
    }
    // Operators of 16 bits may round a number of the text to their own type.
    for (const double number : s.numbers) context.numbers.push_back(a_.stored(T(number)));
    return context;
  }

  Field<T> value_of(const StepContext<A>& context, std::size_t k) const {
    switch (context.s.row->form) {
      case StageForm::elementwise:
        return elementwise_value(context);
      case StageForm::normalises:
        return context.s.row->options.empty()
                   ? SoftmaxStage<A>(context).value()
                   : NormStage<A>(context, StoredPart::used_statistics).value();
      case StageForm::reduces:
        return reduction_value(context);
      case StageForm::slides:
        return pool_value(context);
      case StageForm::selects:
        return nll_value(context, chosen_[k]);
      case StageForm::turns:
        return rotary_value(context);
    }
    return {};
  }

  void step_back(std::size_t k) {
    const PlanStep& s = plan_.steps[k];
    Field<T> dy = std::move(cotangents_[static_cast<std::size_t>(s.value)]);
    if (dy.empty()) return;  // nothing behind it has a cotangent
    std::vector<Field<T>> kept;
    const StepContext<A> context = context_of(k, kept);
    const int owner = owner_of(context);
    if (s.row->form == StageForm::elementwise && owner != kNobody && dy.owner != owner &&
        dy.owner != kNobody)
      fold(dy);
    Terms<T> terms(s.operands.size());
    const Field<T>& y = fields_[static_cast<std::size_t>(s.value)];
    switch (s.row->form) {
      case StageForm::elementwise:
        elementwise_adjoint(context, dy, terms);
        for (Field<T>& t : terms) t.owner = owner != kNobody ? owner : dy.owner;
        break;
      case StageForm::normalises:
        if (s.row->options.empty())
          SoftmaxStage<A>(context).adjoint(y, dy, terms);
        else
          NormStage<A>(context, StoredPart::saved_statistics).adjoint(dy, terms);
        break;
      case StageForm::reduces:
        reduction_adjoint(context, y, dy, terms);
        break;
      case StageForm::slides:
        pool_adjoint(context, dy, terms);
        break;
      case StageForm::selects:
        nll_adjoint(context, chosen_[k], dy, terms);
        break;
      case StageForm::turns:
        rotary_adjoint(context, dy, terms);
        break;
    }
    for (std::size_t o = 0; o < terms.size(); ++o)
      if (s.operands[o] >= 0 && (!terms[o].empty() || s.space == 0))
        give(s, o, std::move(terms[o]));
  }

  /// Hands an operand its terms, summed where several elements share one of the operand's.
  void give(const PlanStep& s, std::size_t o, Field<T> terms) {
    const int operand = s.operands[o];
    const PlanValue& to = plan_.values[static_cast<std::size_t>(operand)];
    if (terms.owner == kNobody) fold(terms);
    const bool elementwise = s.row->form == StageForm::elementwise;
    // The terms are an operator's own result, which a second one adds up.
    const bool own_operator = elementwise || s.row->form == StageForm::turns;
    if (s.maps[o].empty()) {
      accumulate(operand, std::move(terms));
      return;
    }
    if (own_operator)
      for (T& v : terms.v) v = a_.stored(v);
    if (terms.owner != kNobody) {
      std::vector<std::string> summed;
      const PlanValue& space =
          plan_.values[static_cast<std::size_t>(elementwise ? s.value : s.operands.front())];
      for (const std::string& axis : space.axes)
        if (!has_name(to.axes, axis)) summed.push_back(axis);
      if (!inside_group(terms.owner, summed)) fold(terms);
    }
    const std::int64_t length = to.count > 0 ? s.space / to.count : 0;
    auto sums = sums_by<A>(terms.v, s.maps[o], to.count);
    if (plan_.is_tensor(operand) && !to.sliced) {
      uses_.push_back({operand, length, std::move(sums)});
      return;
    }
    Field<T> result = results_of<A>(sums, length);
    result.owner = terms.owner;
    accumulate(operand, std::move(result));
  }

  /// Each use's gradient was stored by its own operator; the last result is stored by whoever takes
  /// it.
  void accumulate(int operand, Field<T> more) {
    Field<T>& into = cotangents_[static_cast<std::size_t>(operand)];
    const bool passes_on = !plan_.is_tensor(operand);
    if (into.empty()) {
      into = std::move(more);
      if (passes_on)
        for (T& v : into.v) v = a_.stored(v);
      return;
    }
    if (into.owner != more.owner) {
      fold(into);
      fold(more);
    }
    for (std::size_t i = 0; i < into.v.size(); ++i) {
      const T before = passes_on ? into.v[i] : a_.stored(into.v[i]);
      const T sum = before + a_.stored(more.v[i]);
      into.v[i] = passes_on ? a_.stored(sum) : sum;
    }
  }

  const GraphPlan& plan_;
  const A& a_;
  const Chosen& chosen_;
  std::vector<Field<T>> fields_;
  std::vector<Field<T>> cotangents_;
  std::vector<SummedUse<A>> uses_;
};

}  // namespace gradproof
