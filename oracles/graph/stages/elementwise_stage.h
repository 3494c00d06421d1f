// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/elementwise.h"
#include "oracles/graph/field.h"
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {

/// v with the roundings of `own` and the error of x by a function's slope and curvature on the
/// interval that x may lie in; across a kink by the slope alone. The roundings at the computed
/// argument differ from those at the exact one by at most 16 operations' u slope T.
template <class A, class T = typename A::Scalar>
T propagated(const T& x, double v, const T& own, double slope, const Steepness& s) {
  const double t = x.total();
  bool bent = false;
  for (const double kink : s.kinks) bent = bent || (t > 0 && std::abs(x.v - kink) <= t);
  T r = T::scaled(bent || t == 0 ? 0 : slope, x);
  r.v = v;
  if (t > 0) {
    const double most = s.slope * t;
    r.e += s.curvature * t * t / 2;
    if (bent || !(r.total() <= most)) {
      r = T(v);
      r.e = most;
    }
    r.e += 16 * A::kUnit * s.slope * t;
  }
  r.e += own.total();
  r.vacuous = x.vacuous || own.vacuous;
  r.overflow = x.overflow || own.overflow;
  return r;
}

/// f(x): the larger error of its forms at the exact argument, and the argument's own.
template <class A, class Function>
typename A::Scalar function_value(const A& a, const Function& fn, const typename A::Scalar& x) {
  using T = typename A::Scalar;
  if constexpr (requires { fn.kIsIdentity; }) {
    return x;
  } else if constexpr (!A::kErrors) {
    return fn.value(a.functions, x);
  } else {
    const T exact(x.v);
    T own = fn.value(a.functions, exact);
    if constexpr (requires { fn.libtorch_value(a.functions, exact); })
      own = widened(own, fn.libtorch_value(a.functions, exact));
    const double v = fn.value(PlainFunctions<double>(), x.v);
    return propagated<A>(x, v, own, fn.derivative(PlainFunctions<double>(), x.v, v),
                         fn.steepness(x.v - x.total(), x.v + x.total()));
  }
}

/// f'(x), which starts from the stored value in the forms that do.
template <class A, class Function>
typename A::Scalar function_slope(const A& a, const Function& fn, const typename A::Scalar& x) {
  using T = typename A::Scalar;
  if constexpr (!A::kErrors) {
    return fn.derivative(a.functions, x, fn.value(a.functions, x));
  } else {
    const T exact(x.v);
    const T saved = a.stored(function_value(a, fn, exact));
    T own = fn.derivative(a.functions, exact, saved);
    if constexpr (requires { fn.libtorch_derivative(a.functions, exact, saved); })
      own = widened(own, fn.libtorch_derivative(a.functions, exact, saved));
    const Dual<double> seed(x.v, 1.0);
    const DualFunctions dual;
    const Dual<double> slope = fn.derivative(dual, seed, fn.value(dual, seed));
    const Steepness s = fn.steepness(x.v - x.total(), x.v + x.total());
    T r = propagated<A>(x, slope.v, own, slope.d, {s.curvature, s.jerk, 0, s.kinks});
    const double t = x.total();
    for (const double kink : s.kinks)
      if (std::abs(x.v - kink) <= t && (t > 0 || s.tie_is_open)) r.e += s.jump;
    return r;
  }
}

/// g f'(x). Some multiply and some choose: where either is not finite, 0 beside it may be 0 or NaN,
/// and anything is right. Some multiply g with a factor of f' first: what underflows there is
/// multiplied by the other one, at most 1 + |x| in all functions of this list.
template <class A>
typename A::Scalar back_through(const typename A::Scalar& g, const typename A::Scalar& slope,
                                const typename A::Scalar& x) {
  typename A::Scalar r = g * slope;
  if constexpr (A::kErrors) {
    if (!std::isfinite(g.v) || !std::isfinite(slope.v)) r = open_class(r);
    r.e += 2 * A::kUnderflow * (1 + x.reach());
  }
  return r;
}

/// each(i) for each element of a step's space.
template <class A, class Each>
Field<typename A::Scalar> each_of(const StepContext<A>& context, const Each& each) {
  Field<typename A::Scalar> out;
  out.v.reserve(context.size());
  for (std::int64_t i = 0; i < context.s.space; ++i) out.v.push_back(each(i));
  return out;
}

template <class A>
Field<typename A::Scalar> gated_value(const StepContext<A>& context) {
  const auto gate = [&](const auto& fn) {
    return each_of(context, [&](std::int64_t i) {
      return context.a.stored(function_value(context.a, fn, context.at(0, i))) * context.at(1, i);
    });
  };
  return context.s.step->stage == "swiglu" ? gate(Silu()) : gate(Gelu());
}

template <class A>
void gated_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                   Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const auto gate = [&](const auto& fn) {
    const auto g = [&](std::int64_t i) -> const T& { return dy.v[static_cast<std::size_t>(i)]; };
    terms[0] = each_of(context, [&](std::int64_t i) {
      return back_through<A>(context.a.stored(T(g(i) * context.at(1, i))),
                             function_slope(context.a, fn, context.at(0, i)), context.at(0, i));
    });
    terms[1] = each_of(context, [&](std::int64_t i) {
      return g(i) * context.a.stored(function_value(context.a, fn, context.at(0, i)));
    });
  };
  context.s.step->stage == "swiglu" ? gate(Silu()) : gate(Gelu());
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
  if (word == "divide") return of_two([](const T& a, const T& b) { return a / b; });
  if (word == "minimum") return of_two([&](const T& a, const T& b) { return f.min(a, b); });
  if (word == "maximum") return of_two([&](const T& a, const T& b) { return f.max(a, b); });
  if (context.s.operands.size() == 2) return gated_value(context);
  return with_elementwise(*context.s.step, context.plan.scalar, [&](const auto& fn) {
    return each_of(context,
                   [&](std::int64_t i) { return function_value(context.a, fn, context.at(0, i)); });
  });
}

/// Of min and max: all to the one that is chosen, any share at a tie.
template <class A>
void choice_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                    bool largest, Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const auto& f = context.a.functions;
  for (std::size_t k = 0; k < 2; ++k)
    terms[k] = each_of(context, [&](std::int64_t i) {
      const T& g = dy.v[static_cast<std::size_t>(i)];
      const T apart = (context.at(k, i) - context.at(1 - k, i)) * T(largest ? 1 : -1);
      const T here = f.where_positive(apart, g, T(0));
      const T tie = f.between(g, T(0));
      if constexpr (A::kErrors)
        if (!std::isfinite(g.v) || !std::isfinite(apart.v) || apart.overflow)
          return open_class(here);
      return f.where_positive(apart, here, f.where_positive(T(-apart), here, tie));
    });
}

template <class A>
void elementwise_adjoint(const StepContext<A>& context, const Field<typename A::Scalar>& dy,
                         Terms<typename A::Scalar>& terms) {
  using T = typename A::Scalar;
  const std::string& word = context.s.step->stage;
  const auto give = [&](std::size_t k, const auto& term) {
    if (context.s.operands[k] < 0) return;
    terms[k] = each_of(
        context, [&](std::int64_t i) { return T(term(dy.v[static_cast<std::size_t>(i)], i)); });
  };
  const auto copied = [](const T& g, std::int64_t) { return g; };
  if (word == "add" || word == "bias" || word == "subtract") {
    give(0, copied);
    if (word == "subtract")
      give(1, [](const T& g, std::int64_t) { return -g; });
    else
      give(1, copied);
  } else if (word == "multiply" || word == "scale") {
    give(0, [&](const T& g, std::int64_t i) { return g * context.at(1, i); });
    give(1, [&](const T& g, std::int64_t i) { return g * context.at(0, i); });
  } else if (word == "divide") {
    give(0, [&](const T& g, std::int64_t i) { return g / context.at(1, i); });
    give(1, [&](const T& g, std::int64_t i) {
      const T quotient = context.a.stored(
          T(context.a.stored(T(context.at(0, i) / context.at(1, i))) / context.at(1, i)));
      return context.a.stored(T(-g)) * quotient;
    });
  } else if (word == "minimum" || word == "maximum") {
    choice_adjoint(context, dy, word == "maximum", terms);
  } else if (context.s.operands.size() == 2) {
    gated_adjoint(context, dy, terms);
  } else {
    with_elementwise(*context.s.step, context.plan.scalar, [&](const auto& fn) {
      give(0, [&](const T& g, std::int64_t i) {
        if constexpr (requires { fn.kIsIdentity; })
          return T(0);
        else
          return back_through<A>(g, function_slope(context.a, fn, context.at(0, i)),
                                 context.at(0, i));
      });
    });
  }
}

}  // namespace gradproof
