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

/// Stands for the logistic in functions that do not take it.
struct NoLogistic {};

template <class A, class Function>
using LogisticOf = std::conditional_t<FromLogistic<Function>, SavedLogistic<A>, NoLogistic>;

/// The logistic of x, for value and derivative; an error arithmetic has its estimate in double.
template <class A, class Function>
LogisticOf<A, Function> logistic_at(const A& a, const typename A::Scalar& x) {
  if constexpr (!FromLogistic<Function>)
    return {};
  else if constexpr (A::kErrors)
    return A::Functions::Plain::logistic(x.v);
  else
    return a.functions.logistic(x);
}

/// The functions of an arithmetic, with a logistic that is known already.
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
const F& with_logistic(const F& functions, const NoLogistic&) {
  return functions;
}
template <class F, class T>
KnownLogistic<F, Logistic<T>> with_logistic(const F& functions, const Logistic<T>& known) {
  return {functions, known};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
