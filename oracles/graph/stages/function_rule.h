// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <utility>

#include "oracles/graph/elementwise.h"
#include "oracles/graph/field.h"
#include "oracles/graph/functions/known_logistic.h"
#include "oracles/graph/stages/contenders.h"
#include "oracles/graph/stages/unknown_argument.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// True in `within` where a kink may lie at x, in `exactly` where x is known to lie on one.
template <class T>
struct AtKink {
  MaskOf<T> within = false;
  MaskOf<T> exactly = false;

  AtKink(const T& x, const KinkPlaces& kinks) {
    using V = EstimateOf<T>;
    const V reach = x.from_v();
    for (const double kink : kinks) {
      const V apart = abs(x.v - V(kink));
      within = within | ((reach > V(0)) & (apart <= reach));
      exactly = exactly | ((reach == V(0)) & (apart == V(0)));
    }
  }
};

/// v with the roundings of `own` and the error of x by a function's slope and curvature on the
/// interval that x may lie in; across a kink by the slope alone. The roundings at the computed
/// argument differ from those at the exact one by at most 16 operations' u slope T. An infinite
/// argument is that infinity in every computation, unless it is doubtful (beyond_range.h).
template <class A, class Own, class T = typename A::Scalar, class V = EstimateOf<T>>
T propagated(const T& x, const V& v, const Own& own, const V& slope, const Steepness<V>& s) {
  const V t = x.total();
  T r(v);
  const MaskOf<T> inexact = MaskOf<T>(!(t == V(0))) & is_finite(x.v);
  if (any(inexact)) {
    const MaskOf<T> bent = AtKink<T>(x, s.kinks).within;
    T bounded = T::scaled(slope, x);
    bounded.v = v;
    const V most = s.slope * t;
    bounded.e += s.curvature * t * t / 2;
    T flat(v);
    flat.e = most;
    const MaskOf<T> by_slope = bent | !(bounded.total() <= most);
    if (any(by_slope)) bounded = select(by_slope, flat, bounded);
    bounded.e += 16 * A::unit() * s.slope * t;
    r = all(inexact) ? bounded : select(inexact, bounded, r);
  }
  r.e += own.total();
  r.vacuous = x.vacuous | own.vacuous;
  r.overflow = x.overflow | own.overflow;
  if (any(x.overflow)) [[unlikely]]
    note_out_of_range(x, own, r);
  return r;
}

/// Adds to a value or a gradient the changes that LibTorch's operator may make to its results.
template <class A, class Function>
void add_libtorch_result(const A& a, const Function& fn, typename A::Scalar& r) {
  if constexpr (A::kErrors && requires { fn.libtorch_result(a.functions, r); })
    r = fn.libtorch_result(a.functions, r);
}

/// The forms of a function of one number, of f and of f', and of the product dy f'.
struct FunctionForms {
  FormSet value;
  FormSet slope;
  FormSet cotangent;
  FormSet backward;      ///< whether f' is taken from x or from f(x)
  bool chooses = false;  ///< some code chooses a formula by where x lies, and NaN may lie anywhere
  bool is_one_product = false;  ///< a contract says all that there are, and nobody does at a kink

  /// True if dy may be multiplied with one factor of f' first.
  bool factors_first() const { return cotangent.has(1); }
};

/// The place of `tanh` in the row of `sigmoid`.
inline constexpr int kByTanh = 2;

/// A function with the forms that a step's contract permits of it.
template <class Function>
struct FunctionWithForms {
  Function function;
  FunctionForms forms;
};

/// f(x), with the larger error of the permitted forms at the exact argument, and the error of the
/// argument. `known` is logistic_at(a, x).
template <class A, class Function>
typename A::Scalar function_value(const A& a, const FunctionWithForms<Function>& permitted,
                                  const typename A::Scalar& x,
                                  const LogisticOf<A, Function>& known) {
  using T = typename A::Scalar;
  const Function& fn = permitted.function;
  if constexpr (requires { fn.kIsIdentity; }) {
    return x;
  } else if constexpr (!A::kErrors) {
    return fn.value(with_logistic(a.functions, known), x);
  } else {
    using V = EstimateOf<T>;
    using Own = typename A::ExactFunctions::Scalar;
    const auto& functions = with_logistic(a.functions_of_exact, known);
    const Own exact(x.v);
    Own own = fn.value(functions, exact);
    if constexpr (requires { fn.libtorch_value(functions, exact); })
      if (permitted.forms.value.has(1))
        add_form(own, permitted.forms.value, 1, Own(fn.libtorch_value(functions, exact)));
    if constexpr (requires { fn.tanh_value(functions, exact); })
      if (permitted.forms.value.has(kByTanh))
        add_form(own, permitted.forms.value, kByTanh, Own(fn.tanh_value(functions, exact)));
    const V t = x.total();
    V slope = 0;
    Steepness<V> steepness;
    if (any(!(t == V(0)))) {
      const PlainFunctions<V> plain;
      slope = fn.derivative(with_logistic(plain, known), x.v, own.v);
      steepness = fn.steepness(V(x.v - x.from_v()), V(x.v + x.from_v()));
    }
    T r = propagated<A>(x, own.v, own, slope, steepness);
    add_libtorch_result(a, fn, r);
    note_unknown(fn, x, r);
    return r;
  }
}

/// The value that a derivative starts from; NaN for a function whose derivative does not.
template <class Function, class T, class Value>
T value_for_slope(const Value& value) {
  if constexpr (requires { Function::kFromValue; })
    return value();
  else
    return T(std::numeric_limits<double>::quiet_NaN());
}

/// f'(x), which starts from the stored value in the forms that do; `name` is that value's, and
/// `known` is logistic_at(a, x).
template <class A, class Function>
typename A::Scalar function_slope(const A& a, const FunctionWithForms<Function>& permitted,
                                  const typename A::Scalar& x, std::string_view name,
                                  const LogisticOf<A, Function>& known) {
  using T = typename A::Scalar;
  const Function& fn = permitted.function;
  if constexpr (!A::kErrors) {
    const auto& functions = with_logistic(a.functions, known);
    return fn.derivative(functions, x,
                         value_for_slope<Function, T>([&] { return fn.value(functions, x); }));
  } else {
    using V = EstimateOf<T>;
    using Own = typename A::ExactFunctions::Scalar;
    const auto& functions = with_logistic(a.functions_of_exact, known);
    const Own exact(x.v);
    const auto stored_value = [&] {
      const T read = a.value_read(function_value(a, permitted, T(x.v), known), name);
      Own value(read.v);
      value.e = read.total();
      value.vacuous = read.vacuous;
      value.overflow = read.overflow;
      return value;
    };
    const Own saved = value_for_slope<Function, Own>(stored_value);
    Own own = fn.derivative(functions, exact, saved);
    if constexpr (requires { fn.libtorch_derivative(functions, exact, saved); })
      if (permitted.forms.slope.has(1))
        add_form(own, permitted.forms.slope, 1,
                 Own(fn.libtorch_derivative(functions, exact, saved)));
    if constexpr (requires { fn.tanh_derivative(functions, exact); })
      if (permitted.forms.value.has(kByTanh))
        own = widened(own, Own(fn.tanh_derivative(functions, exact)));
    if constexpr (requires { fn.derivative_from_value(functions, exact); })
      if (permitted.forms.backward.has(1))
        add_form(own, permitted.forms.backward, 1,
                 Own(fn.derivative_from_value(functions, stored_value())));
    const V t = x.total();
    const bool is_exact = !any(!(t == V(0)));
    V curvature = 0;
    if (!is_exact) {
      const Dual<V> seed(x.v, V(1));
      const DualFunctionsOf<V> functions_of_dual;
      const auto& dual = with_logistic(functions_of_dual, known);
      curvature =
          fn.derivative(dual, seed,
                        value_for_slope<Function, Dual<V>>([&] { return fn.value(dual, seed); }))
              .d;
    }
    constexpr bool kIsSmooth = requires { Function::kIsSmooth; };
    const Steepness<V> s = kIsSmooth && is_exact
                               ? Steepness<V>()
                               : fn.steepness(V(x.v - x.from_v()), V(x.v + x.from_v()));
    T r = propagated<A>(x, own.v, own, curvature, Steepness<V>{s.curvature, s.jerk, 0, s.kinks});
    const AtKink<T> at(x, s.kinks);
    const MaskOf<T> tie = s.tie_is_open ? at.exactly : MaskOf<T>(false);
    r.e += select(at.within | tie, V(s.jump), V(0));
    // The value that is read may have left the range of its type at another argument.
    if constexpr (requires { Function::kFromValue; })
      if (!is_exact)
        r.overflow =
            r.overflow | (is_finite(saved.v) &
                          a.value_read(function_value(a, permitted, x, known), name).overflow);
    note_unknown(fn, x, r);
    return r;
  }
}

/// g f'(x). Some code multiplies and some chooses: if one factor is not finite, its product with 0
/// may be 0 or NaN, and anything is right unless a contract says one product. Without a choice a
/// NaN is NaN in every product. If g is multiplied with a factor of f' first, its underflow is
/// multiplied by the other factor, at most 1 + |x| in all functions of this list; for an infinite x
/// each factor is 0, 1, infinite or NaN.
template <class A>
typename A::Scalar back_through(const FunctionForms& forms, const typename A::Scalar& g,
                                const typename A::Scalar& slope, const typename A::Scalar& x) {
  typename A::Scalar r = g * slope;
  if constexpr (A::kErrors) {
    using M = MaskOf<typename A::Scalar>;
    const M known = is_finite(g.v) & is_finite(slope.v);
    const M is_none = M(!forms.chooses) & (is_nan(g.v) | is_nan(x.v));
    if (!forms.is_one_product) open_class_where(M(!(known | is_none)), r);
    using V = EstimateOf<typename A::Scalar>;
    if (forms.factors_first())
      r.e += select(is_finite(x.v), V(2 * A::underflow() * (1 + x.reach())), V(0));
  }
  return r;
}

/// Adds the overflow of LibTorch's own adjoint to r = g f'(x): if dy times the factor of f' that it
/// takes first may overflow, the product may be infinite too.
template <class A, class Function>
void add_libtorch_gradient(const A& a, const FunctionWithForms<Function>& permitted,
                           const typename A::Scalar& g, const typename A::Scalar& x,
                           typename A::Scalar& r) {
  const Function& fn = permitted.function;
  if constexpr (A::kErrors && requires { fn.libtorch_first_factor(a.functions, x); }) {
    if (permitted.forms.factors_first()) {
      typename A::Scalar first = g * fn.libtorch_first_factor(a.functions, x);
      if constexpr (requires { fn.kStoresFirstFactor; }) first = a.stored(first);
      r.overflow = r.overflow | first.overflow;
    }
  }
  add_libtorch_result(a, fn, r);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
