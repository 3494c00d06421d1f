// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <optional>

#include "oracles/graph/functions/comparisons.h"
#include "oracles/graph/functions/rounding.h"
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/stages/choice_stage.h"
#include "oracles/graph/stages/division.h"
#include "oracles/graph/stages/function_rule.h"
#include "oracles/graph/stages/poles.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The function with the forms that the step's contract permits.
template <class A, class Function>
FunctionWithForms<Function> with_forms(const StepContext<A>& context, const Function& fn) {
  const std::string& stage = context.s.step->stage;
  bool is_one = true;
  const auto first_of = [&](std::initializer_list<FormPart> parts) {
    for (const FormPart part : parts) {
      if (!form_row(part).is_of(stage)) continue;
      const FormSet said = context.forms(part);
      is_one = is_one && std::has_single_bit(said.bits);
      return said;
    }
    return FormSet{~0U};
  };
  using enum FormPart;
  FunctionForms forms{first_of({sigmoid, softplus}), first_of({complement, softplus, hardswish}),
                      first_of({cotangent}), first_of({backward})};
  const bool has_kinks = !context.s.row->kinks.empty();
  forms.is_one_product = is_one && !has_kinks;
  forms.chooses = has_kinks || requires { Function::kHasThreshold; };
  return {fn, forms};
}

/// The logistics of a step's elements: the value computes them, and its adjoint reads them.
template <class A, class Function>
class StepLogistics {
 public:
  using Kept = LogisticOf<A, Function>;

  /// Makes room where the value is computed.
  StepLogistics(const StepContext<A>& context, const Function&, bool is_value)
      : context_(context), numbers_(memory_of(context, context.position).logistics) {
    if constexpr (FromLogistic<Function>)
      if (is_value) numbers_ = FieldNumbers<Kept>(context.size());
  }
  /// Computes the logistic of an element, for the value.
  Kept anew(std::int64_t i) const {
    const Kept made = logistic_at<A, Function>(context_.a, context_.at(0, i));
    if constexpr (FromLogistic<Function>) numbers_[place(i)] = made;
    return made;
  }
  /// The logistic for the adjoint: the one that the value computed, if it did.
  Kept operator[](std::int64_t i) const {
    if constexpr (FromLogistic<Function>)
      if (!numbers_.empty()) return numbers_[place(i)];
    return logistic_at<A, Function>(context_.a, context_.at(0, i));
  }

 private:
  const StepContext<A>& context_;
  FieldNumbers<SavedLogistic<A>>& numbers_;
};

template <class A>
Field<typename A::Scalar> gated_value(const StepContext<A>& context) {
  const auto gate = [&](const auto& plain) {
    const auto fn = with_forms(context, plain);
    const StepLogistics kept(context, plain, true);
    return each_of(context, [&](std::int64_t i) {
      return context.a.stored(function_value(context.a, fn, context.at(0, i), kept.anew(i))) *
             context.at(1, i);
    });
  };
  return context.s.step->stage == "swiglu" ? gate(Silu()) : gate(Gelu());
}

/// If several elements share a gate, LibTorch adds up dy times the other operand and stores the sum
/// before it multiplies with the gate's slope, which may be small. The sum may leave the range
/// although the gradient does not.
template <class A>
typename A::Scalar in_sum_of_gate(const StepContext<A>& context, typename A::Scalar term) {
  if constexpr (A::kErrors)
    if (context.s.summed > 1) {
      term = added_first<A>(term, context.s.summed);
      const typename A::Scalar most(term.reach() * static_cast<double>(context.s.summed));
      term.overflow = term.overflow | context.a.stored(most).overflow;
    }
  return term;
}

template <class A>
void gated_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                   Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const auto gate = [&](const auto& plain) {
    const auto fn = with_forms(context, plain);
    const StepLogistics kept(context, plain, false);
    const auto g = [&](std::int64_t i) -> const T& { return dy.v[static_cast<std::size_t>(i)]; };
    terms[0] = each_of(context, [&](std::int64_t i) {
      const T& x = context.at(0, i);
      const T inner = in_sum_of_gate(context, context.a.stored(T(g(i) * context.at(1, i))));
      const T slope = function_slope(context.a, fn, x, "", kept[i]);
      T r = back_through<A>(fn.forms, inner, slope, x);
      add_libtorch_gradient(context.a, fn, inner, x, r);
      return r;
    });
    terms[1] = each_of(context, [&](std::int64_t i) {
      return g(i) * context.a.stored(function_value(context.a, fn, context.at(0, i), kept[i]));
    });
  };
  context.s.step->stage == "swiglu" ? gate(Silu()) : gate(Gelu());
}

template <class A>
Field<typename A::Scalar> divided_value(const StepContext<A>& context) {
  return each_of(context, [&](std::int64_t i) { return over(context, context.at(0, i), i); });
}

template <class A>
Field<typename A::Scalar> elementwise_value(const StepContext<A>& context) {
  using T = typename A::Scalar;
  const std::string& word = context.s.step->stage;
  const auto& f = context.a.functions;
  const auto of_two = [&](const auto& operation) {
    return each_of(
        context, [&](std::int64_t i) { return T(operation(context.at(0, i), context.at(1, i))); });
  };
  if (word == "add" || word == "bias") return of_two([](const T& a, const T& b) { return a + b; });
  if (word == "subtract") return of_two([](const T& a, const T& b) { return a - b; });
  if (word == "multiply" || word == "scale")
    return of_two([](const T& a, const T& b) { return a * b; });
  if (word == "divide") return divided_value(context);
  if (word == "minimum") return of_two([&](const T& a, const T& b) { return f.min(a, b); });
  if (word == "maximum") return of_two([&](const T& a, const T& b) { return f.max(a, b); });
  if (const std::optional<Relation> relation = relation_of(word))
    return of_two([&](const T& a, const T& b) { return compared_by(f, *relation, a, b); });
  if (word == "where")
    return each_of(context, [&](std::int64_t i) {
      return chosen_by(context.a, context.at(0, i), context.at(1, i), context.at(2, i));
    });
  if (word == "round_to")
    return each_of(context, [grid = grid_of(*context.s.step), &context](std::int64_t i) {
      return on_grid(grid, context.at(0, i));
    });
  if (context.s.operands.size() == 2) return gated_value(context);
  return with_elementwise(*context.s.step, context.plan.scalar, [&](const auto& plain) {
    const auto fn = with_forms(context, plain);
    const StepLogistics kept(context, plain, true);
    return each_of(context, [&](std::int64_t i) {
      return function_value(context.a, fn, context.at(0, i), kept.anew(i));
    });
  });
}

template <class A>
void elementwise_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                         Terms<typename A::Scalar>& terms) {
  if (context.s.row->detached) return;
  using T = typename A::Scalar;
  const std::string& word = context.s.step->stage;
  const auto give = [&](std::size_t k, const auto& term) {
    if (context.s.operands[k] < 0) return;
    terms[k] = each_of(
        context, [&](std::int64_t i) { return T(term(dy.v[static_cast<std::size_t>(i)], i)); });
  };
  if (word == "add" || word == "bias" || word == "subtract") {
    terms.pass_on(0);
    if (word == "subtract")
      give(1, [](const T& g, std::int64_t) { return -g; });
    else
      terms.pass_on(1);
  } else if (word == "multiply" || word == "scale") {
    give(0, [&](const T& g, std::int64_t i) { return g * context.at(1, i); });
    give(1, [&](const T& g, std::int64_t i) { return g * context.at(0, i); });
  } else if (word == "divide") {
    give(0, [&](const T& g, std::int64_t i) { return over(context, g, i); });
    give(1, [&](const T& g, std::int64_t i) {
      const T& by = context.at(0, i);
      const T& other = context.at(1, i);
      const T quotient = over_square(context, by, other);
      return context.a.stored(T(-g)) * settled_quotient(context, 1, by, other, quotient);
    });
  } else if (word == "where") {
    where_adjoint(context, dy, terms);
  } else if (word == "minimum" || word == "maximum") {
    choice_adjoint(context, dy, word == "maximum", terms);
  } else if (context.s.operands.size() == 2) {
    gated_adjoint(context, dy, terms);
  } else {
    const bool in_factors = context.a.keeps(word, StoredPart::slope_factors);
    const auto keep = [&](T& v) {
      if (in_factors) v = context.a.stored(v);
    };
    with_elementwise(*context.s.step, context.plan.scalar, [&](const auto& plain) {
      if constexpr (!requires { plain.kIsIdentity; }) {  // nothing goes back through that one
        const auto fn = with_forms(context, plain);
        const StepLogistics left(context, plain, false);
        give(0, [&](const T& g, std::int64_t i) {
          const T& x = context.at(0, i);
          T slope = function_slope(context.a, fn, x, context.s.step->value, left[i]);
          settle_slope<std::decay_t<decltype(plain)>>(context, x, slope);
          keep(slope);
          T r = back_through<A>(fn.forms, g, slope, x);
          keep(r);
          add_halved(context.a, plain, slope, r);
          add_libtorch_gradient(context.a, fn, g, x, r);
          return r;
        });
      }
    });
  }
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
