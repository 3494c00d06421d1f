// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/functions/truth_functions.h"
#include "oracles/graph/step_context.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// A function of one number whose value and derivative take the logistic of that number, and no
/// other one: an exponential and a division, which its adjoint finds done.
template <class Function>
concept FromLogistic = requires {
  Function::kLogisticOfArgument;
};

/// What value and derivative of any other function have in common.
struct NothingKept {};

template <class A, class Function>
using KeptOf = std::conditional_t<FromLogistic<Function>, KeptLogistic<A>, NothingKept>;

/// What the value at x leaves to the derivative: of an error arithmetic the estimate in double.
template <class A, class Function>
KeptOf<A, Function> kept_at(const A& a, const typename A::Scalar& x) {
  if constexpr (!FromLogistic<Function>)
    return {};
  else if constexpr (A::kErrors)
    return A::Functions::Plain::logistic(x.v);
  else
    return a.functions.logistic(x);
}

/// The functions of an arithmetic as such a function takes them: the logistic is known.
template <class F, class L>
struct KnownLogistic {
  const F& functions;
  const L& known;

  template <class T>
  Logistic<T> logistic(const T& x, bool quotient = false) const {
    if constexpr (requires { functions.logistic(x, known, quotient); })
      return functions.logistic(x, known, quotient);
    else
      return known;
  }
  template <class T>
  T tanh(const T& x) const {
    return functions.tanh(x);
  }
};

template <class F>
const F& knowing(const F& functions, const NothingKept&) {
  return functions;
}
template <class F, class T>
KnownLogistic<F, Logistic<T>> knowing(const F& functions, const Logistic<T>& known) {
  return {functions, known};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
