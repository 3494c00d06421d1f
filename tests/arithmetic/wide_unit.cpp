// SPDX-License-Identifier: Apache-2.0
#include "tests/arithmetic/wide_unit.h"

#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/arithmetic/wide_functions.h"
#include "oracles/graph/audit/packed/wide_functions.h"

/// Compiled once for each instruction set.
namespace gradproof::oracle_tests {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class V>
V member_of(const Wide* from, std::int64_t count, double Wide::*part) {
  double numbers[kLanesOf<V>] = {};
  for (int i = 0; i < count; ++i) numbers[i] = from[i].*part;
  return load<V>(numbers, count);
}

template <class V>
void take(DoubledOf<V>& into, const Wide* from, std::int64_t count) {
  into = {member_of<V>(from, count, &Wide::hi), member_of<V>(from, count, &Wide::mid)};
}
template <class V>
void take(TripledOf<V>& into, const Wide* from, std::int64_t count) {
  into = {member_of<V>(from, count, &Wide::hi), member_of<V>(from, count, &Wide::mid),
          member_of<V>(from, count, &Wide::lo)};
}
inline Wide plain_data(const DoubledOf<double>& v) { return {v.hi, v.lo, 0}; }
inline Wide plain_data(const TripledOf<double>& v) { return {v.hi, v.mid, v.lo}; }

template <class T, class V>
T applied(WideOperation operation, const T& a, const T& b, const V& number) {
  switch (operation) {
    case WideOperation::plus:
      return a + b;
    case WideOperation::minus:
      return a - b;
    case WideOperation::times:
      return a * b;
    case WideOperation::over:
      return a / b;
    case WideOperation::over_double:
      return a / number;
    case WideOperation::root:
      return sqrt(a);
    case WideOperation::exponential:
      return exp(a);
    case WideOperation::sigmoid:
      return logistic(a).s;
    case WideOperation::swish:
      return swish(a, logistic(a));
    case WideOperation::slope:
      return swish_derivative(a, logistic(a));
    case WideOperation::less:
      return T(V(select(a < b, V(1), V(0))));
    default:
      return T(V(select(a >= b, V(1), V(0))));
  }
}

template <template <class> class Number, class V>
void wide_in(WideOperation operation, const Wide* a, const Wide* b, std::int64_t count, Wide* to) {
  for (std::int64_t i = 0; i < count; i += kLanesOf<V>) {
    const std::int64_t here = count - i < kLanesOf<V> ? count - i : kLanesOf<V>;
    Number<V> x, y;
    take(x, a + i, here);
    take(y, b + i, here);
    const Number<V> r = applied(operation, x, y, y.hi);
    for (int k = 0; k < here; ++k) to[i + k] = plain_data(lane(r, k));
  }
}

template <template <class> class Number>
void wide_both(WideOperation operation, const Wide* a, const Wide* b, std::int64_t count,
               Wide* packed, Wide* single) {
  wide_in<Number, Pack>(operation, a, b, count, packed);
  wide_in<Number, double>(operation, a, b, count, single);
}

/// As the audit of graphs takes functions of packs.
template <class T>
T function_of(WideFunction function, const T& x) requires(kLanesOf<T> > 1) {
  using Functions = WideFunctionsOf<T>;
  switch (function) {
    case WideFunction::expm1:
      return expm1(x);
    case WideFunction::log1p:
      return Functions::log1p(x);
    case WideFunction::log:
      return Functions::log(x);
    case WideFunction::tanh:
      return Functions::tanh(x);
    case WideFunction::sin:
      return Functions::sin(x);
    case WideFunction::cos:
      return Functions::cos(x);
    default:
      return Functions::erf(x);
  }
}
template <class T>
T function_of(WideFunction function, const T& x) requires(kLanesOf<T> == 1) {
  switch (function) {
    case WideFunction::expm1:
      return expm1(x);
    case WideFunction::log1p:
      return log1p(x);
    case WideFunction::log:
      return log(x);
    case WideFunction::tanh:
      return tanh(x);
    case WideFunction::sin:
      return sin(x);
    case WideFunction::cos:
      return cos(x);
    default:
      return erf(x);
  }
}

/// Off by 2^-80 or 2^-130 of it, as by a step of an iteration or a term of a series too few.
template <class T>
T a_little_off(const T& y) {
  using V = decltype(y.hi);
  return y + y * T(V(sizeof(T) == 2 * sizeof(V) ? 0x1p-80 : 0x1p-130));
}

template <class T>
void functions_in(WideFunction function, bool wrong, const Wide* a, std::int64_t count, Wide* to) {
  for (std::int64_t i = 0; i < count; i += kLanesOf<T>) {
    const std::int64_t here = count - i < kLanesOf<T> ? count - i : kLanesOf<T>;
    T x;
    take(x, a + i, here);
    const T exact = function_of(function, x);
    const T y = wrong ? a_little_off(exact) : exact;
    for (int k = 0; k < here; ++k) to[i + k] = plain_data(lane(y, k));
  }
}

inline void wide_function(WideFunction function, bool triple, bool packed, bool wrong,
                          const Wide* a, std::int64_t count, Wide* to) {
  if (packed)
    triple ? functions_in<TripledOf<Pack>>(function, wrong, a, count, to)
           : functions_in<DoubledOf<Pack>>(function, wrong, a, count, to);
  else
    triple ? functions_in<TripledOf<double>>(function, wrong, a, count, to)
           : functions_in<DoubledOf<double>>(function, wrong, a, count, to);
}

template <class T>
WideReductions wide_reduced(const double* x, const double* y, std::int64_t count, double eps) {
  Values<T> a, b;
  for (std::int64_t i = 0; i < count; i += kPackLanes) {
    a.push_back(T(load<Pack>(x + i, count - i)));
    b.push_back(T(load<Pack>(y + i, count - i)));
  }
  Plain<T> plain;
  plain.take_count(count);
  const Statistics<T> s = plain.statistics(a, eps);
  const auto one = [](const T& v) { return plain_data(lane(v, kPackLanes - 1)); };
  return {one(plain.sum(a, kGradients)), one(plain.dot(a, b, kGradients)), one(s.mean),
          one(s.variance), one(s.rstd)};
}

inline WideReductions wide_reduced_by(const double* x, const double* y, std::int64_t count,
                                      double eps, bool triple) {
  return triple ? wide_reduced<TripledOf<Pack>>(x, y, count, eps)
                : wide_reduced<DoubledOf<Pack>>(x, y, count, eps);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT

template <>
WideUnit wide_unit_of<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>() {
  return {InstructionSet::GRADPROOF_ARITHMETIC_UNIT, wide_both<DoubledOf>, wide_both<TripledOf>,
          wide_function, wide_reduced_by};
}

}  // namespace gradproof::oracle_tests
