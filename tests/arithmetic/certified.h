// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/certified.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/bounds/bounding.h"
#include "tests/arithmetic/strangers.h"
#include "tests/arithmetic/unit.h"

/// The certified numbers of an ArithmeticUnit.
namespace gradproof::oracle_tests {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class V>
CertifiedOf<V> loaded(const Triple* from, std::int64_t count) {
  double hi[kLanesOf<V>] = {}, lo[kLanesOf<V>] = {}, radius[kLanesOf<V>] = {};
  for (int i = 0; i < count; ++i) {
    hi[i] = from[i].hi;
    lo[i] = from[i].lo;
    radius[i] = from[i].radius;
  }
  return {load<V>(hi, count), load<V>(lo, count), load<V>(radius, count)};
}

inline Triple triple(const Certified& v) { return {v.hi, v.lo, v.radius}; }

template <class T, class V>
T applied(Operation operation, const T& a, const T& b, const V& number) {
  switch (operation) {
    case Operation::plus:
      return a + b;
    case Operation::plus_double:
      return a + number;
    case Operation::minus:
      return a - b;
    case Operation::times:
      return a * b;
    case Operation::times_double:
      return a * number;
    case Operation::over:
      return a / b;
    case Operation::over_double:
      return a / number;
    case Operation::root:
      return sqrt(a);
    case Operation::exponential:
      return exp(a);
    case Operation::sigmoid:
      return logistic(a).s;
    case Operation::complement:
      return logistic(a).q;
    case Operation::swish:
      return swish(a, logistic(a));
    default:
      return swish_derivative(a, logistic(a));
  }
}

template <class V>
void certified_in(Operation operation, const Triple* a, const Triple* b, std::int64_t count,
                  Triple* to) {
  for (std::int64_t i = 0; i < count; i += kLanesOf<V>) {
    const std::int64_t here = count - i < kLanesOf<V> ? count - i : kLanesOf<V>;
    const CertifiedOf<V> x = loaded<V>(a + i, here);
    const CertifiedOf<V> y = loaded<V>(b + i, here);
    const CertifiedOf<V> r = applied(operation, x, y, y.hi);
    for (int k = 0; k < here; ++k) to[i + k] = triple(lane(r, k));
  }
}

inline void certified_both(Operation operation, const Triple* a, const Triple* b,
                           std::int64_t count, Triple* packed, Triple* single) {
  certified_in<Pack>(operation, a, b, count, packed);
  certified_in<double>(operation, a, b, count, single);
}

template <class V>
void exp_in(const double* x, std::int64_t count, double* to) {
  for (std::int64_t i = 0; i < count; i += kLanesOf<V>) {
    const std::int64_t here = count - i < kLanesOf<V> ? count - i : kLanesOf<V>;
    store(to + i, exp_of_negative(load<V>(x + i, here)), here);
  }
}

inline void exp_both(const double* x, std::int64_t count, double* packed, double* single) {
  exp_in<Pack>(x, count, packed);
  exp_in<double>(x, count, single);
}

inline Reductions reduced_pack(const double* x, const double* y, std::int64_t count, double eps) {
  using T = CertifiedOf<Pack>;
  Values<T> a, b;
  for (std::int64_t i = 0; i < count; i += kPackLanes) {
    a.push_back(T(load<Pack>(x + i, count - i)));
    b.push_back(T(load<Pack>(y + i, count - i)));
  }
  Plain<T> plain;
  plain.take_count(count);
  const Statistics<T> s = plain.statistics(a, eps);
  const auto one = [](const T& v) { return triple(lane(v, kPackLanes - 1)); };
  return {one(plain.sum(a, kGradients)), one(plain.dot(a, b, kGradients)), one(s.mean),
          one(s.variance), one(s.rstd)};
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof::oracle_tests
