// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/arithmetic/certified.h"

/// The part of ArithmeticUnit's text that is about the bookkeeping of errors.
namespace gradproof::oracle_tests {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class F>
ErrorNumbers plain_data(const ErrorScalar<F>& s) {
  return {
      s.v, s.e, {s.c[0], s.c[1], s.c[2], s.c[3]}, s.vacuous ? 1.0 : 0.0, s.overflow ? 1.0 : 0.0};
}

template <class F, class V>
ErrorScalar<F, V> loaded(const ErrorNumbers* from, std::int64_t count) {
  const auto member = [&](auto get) {
    double numbers[kLanesOf<V>] = {};
    for (int i = 0; i < count; ++i) numbers[i] = get(from[i]);
    return load<V>(numbers, count);
  };
  ErrorScalar<F, V> r(member([](const ErrorNumbers& n) { return n.v; }));
  r.e = member([](const ErrorNumbers& n) { return n.e; });
  for (std::size_t k = 0; k < kSharedErrors; ++k)
    r.c[k] = member([&](const ErrorNumbers& n) { return n.c[k]; });
  r.vacuous = member([](const ErrorNumbers& n) { return n.vacuous; }) > V(0);
  r.overflow = member([](const ErrorNumbers& n) { return n.overflow; }) > V(0);
  return r;
}

template <class F, class V>
ErrorScalar<F, V> applied(int operation, const Bounding<F, V>& bounding, const ErrorScalar<F, V>& a,
                          const ErrorScalar<F, V>& b) {
  switch (operation) {
    case 0:
      return a + b;
    case 1:
      return a - b;
    case 2:
      return a * b;
    case 3:
      return a / -0.3;
    case 4:
      return bounding.swish(a, bounding.logistic(a));
    case 5:
      return bounding.swish_adjoint(a, b, bounding.logistic(b));
    case 6:
      return bounding.shared(a, SharedError::rstd);
    default:
      return bounding.folded(a / 0.25);
  }
}

template <class F, class V>
void bounding_in(const Claim& claim, int operation, const ErrorNumbers* a, const ErrorNumbers* b,
                 std::int64_t count, ErrorNumbers* to) {
  const Bounding<F, V> bounding(claim);
  for (std::int64_t i = 0; i < count; i += kLanesOf<V>) {
    const std::int64_t here = count - i < kLanesOf<V> ? count - i : kLanesOf<V>;
    const ErrorScalar<F, V> r =
        applied(operation, bounding, loaded<F, V>(a + i, here), loaded<F, V>(b + i, here));
    for (int k = 0; k < here; ++k) to[i + k] = plain_data<F>(lane(r, k));
  }
}

inline void bounding_both(const Claim& claim, int operation, bool flushed, const ErrorNumbers* a,
                          const ErrorNumbers* b, std::int64_t count, ErrorNumbers* packed,
                          ErrorNumbers* single) {
  if (flushed) {
    bounding_in<Binary32Flushed, Pack>(claim, operation, a, b, count, packed);
    bounding_in<Binary32Flushed, double>(claim, operation, a, b, count, single);
  } else {
    bounding_in<Binary32, Pack>(claim, operation, a, b, count, packed);
    bounding_in<Binary32, double>(claim, operation, a, b, count, single);
  }
}

template <class V>
ErrorReductions reduced_errors_in(const Claim& claim, const ErrorNumbers* x, const ErrorNumbers* y,
                                  std::int64_t count, double eps) {
  using T = ErrorScalar<Binary32, V>;
  Values<T> a, b;
  for (std::int64_t i = 0; i < count; i += kLanesOf<V>) {
    const std::int64_t here = count - i < kLanesOf<V> ? count - i : kLanesOf<V>;
    a.push_back(loaded<Binary32, V>(x + i, here));
    b.push_back(loaded<Binary32, V>(y + i, here));
  }
  Bounding<Binary32, V> bounding(claim);
  bounding.take_count(count);
  const Statistics<T> s = bounding.statistics(a, eps);
  const auto one = [](const T& v) { return plain_data<Binary32>(lane(v, kLanesOf<V> - 1)); };
  return {one(bounding.sum(a, kGradients)), one(bounding.dot(a, b, kGradients)), one(s.mean),
          one(s.variance), one(s.rstd)};
}

inline ErrorReductions reduced_errors_by(const Claim& claim, const ErrorNumbers* x,
                                         const ErrorNumbers* y, std::int64_t count, double eps,
                                         bool packed) {
  return packed ? reduced_errors_in<Pack>(claim, x, y, count, eps)
                : reduced_errors_in<double>(claim, x, y, count, eps);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof::oracle_tests
