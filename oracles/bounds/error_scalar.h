// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>

#include "oracles/arithmetic/forms.h"
#include "oracles/arithmetic/lanes.h"
#include "oracles/bounds/beyond_range.h"
#include "oracles/bounds/number_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Calls each(0), each(1), ... with constant indices, so that the symbols stay in registers.
template <std::size_t kCount = kSharedErrors, class Each>
[[gnu::always_inline]] inline void for_each_symbol(const Each& each) {
  static_assert(kCount == 0 || kCount == 4);
  if constexpr (kCount > 0) {
    each(std::integral_constant<std::size_t, 0>());
    each(std::integral_constant<std::size_t, 1>());
    each(std::integral_constant<std::size_t, 2>());
    each(std::integral_constant<std::size_t, 3>());
  }
}

/// A value with the errors that a computation in number type F may add: an independent one of at
/// most e, and for each SharedError a signed coefficient times one unknown number in [-1, 1] that
/// all elements of the unit share, so that it cancels in sums as the kernel's own error does.
/// docs/bounds.md derives every rule. Errors are double; V is double, or Pack for several numbers.
template <class F, class V = double>
struct ErrorScalar {
  V v = 0;
  V e = 0;
  static constexpr std::size_t kSymbols = F::shared_errors;
  V c[kSymbols > 0 ? kSymbols : 1] = {};  ///< where there are none the one is 0
  MaskOf<V> vacuous = false;              ///< the first-order bound does not hold here
  /// An intermediate value may have left the range of F, or a rounding error decides whether the
  /// result is NaN, Inf or finite: a kernel may return any of them. A NaN or Inf among the inputs
  /// does not set this flag.
  MaskOf<V> overflow = false;

  ErrorScalar() = default;
  explicit ErrorScalar(V exact) : v(exact) {}
  // Members are copied one by one: the compiler's copy goes through memory, with other widths than
  // the members were written with, which costs more time than the arithmetic.
  [[gnu::always_inline]] ErrorScalar(const ErrorScalar& o)
      : v(o.v), e(o.e), vacuous(o.vacuous), overflow(o.overflow) {
    for_each_symbol<kSymbols>([&](auto k) { c[k] = o.c[k]; });
  }
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): a member given to itself stays as it is
  [[gnu::always_inline]] ErrorScalar& operator=(const ErrorScalar& o) {
    v = o.v;
    e = o.e;
    for_each_symbol<kSymbols>([&](auto k) { c[k] = o.c[k]; });
    vacuous = o.vacuous;
    overflow = o.overflow;
    return *this;
  }
  /// The number in all lanes.
  static ErrorScalar everywhere(const ErrorScalar<F, double>& one) {
    ErrorScalar r(V(one.v));
    r.e = one.e;
    for_each_symbol<kSymbols>([&](auto k) { r.c[k] = one.c[k]; });
    r.vacuous = one.vacuous;
    r.overflow = one.overflow;
    return r;
  }

  [[gnu::always_inline]] V& of(SharedError symbol) { return c[static_cast<std::size_t>(symbol)]; }

  /// |computed - exact| <= total().
  [[gnu::always_inline]] V total() const {
    if constexpr (kSymbols == 0)
      return e;
    else
      return ((e + abs(c[0])) + abs(c[1])) + (abs(c[2]) + abs(c[3]));
  }

  /// The largest |computed - v|; in double v itself is off by up to total() and one rounding too.
  [[gnu::always_inline]] V from_v() const {
    const V t = total();
    if constexpr (F::value_is_exact) return t;
    return select(t > V(0), V(2 * t + 4 * F::u * (min(abs(v), V(F::largest)) + 2 * t)), V(0));
  }

  /// The largest size that the computed number may have.
  [[gnu::always_inline]] V reach() const { return abs(v) + from_v(); }

  /// True where the computed number may be 0 or of the other sign: Inf times it, and it over 0, may
  /// be Inf of either sign or NaN. A NaN stays NaN unless `overflow` is set, in products too.
  [[gnu::always_inline]] MaskOf<V> may_be_zero() const {
    const V t = total();
    // An infinity has a finite error: |v| <= from_v() without the rounding of v.
    const V most = F::value_is_exact ? t : V(2 * (1 + 16 * F::u) * t);
    return (vacuous & MaskOf<V>(abs(v) >= V(0))) | ((t > V(0)) & (abs(v) <= most));
  }

  /// The number as an operand: where F flushes to zero, a subnormal number may count as 0.
  [[gnu::always_inline]] ErrorScalar read() const requires(F::flushes) {
    ErrorScalar r = *this;
    const V t = total();
    r.e += select(abs(v) - t < V(F::smallest_normal), min(V(F::eta), abs(v) + t), V(0));
    return r;
  }
  [[gnu::always_inline]] const ErrorScalar& read() const requires(!F::flushes) { return *this; }

  /// The error of p*a; the caller sets the value.
  [[gnu::always_inline]] static ErrorScalar scaled(const V& p, const ErrorScalar& a) {
    ErrorScalar r;
    r.e = abs(p) * a.e;
    for_each_symbol<kSymbols>([&](auto k) { r.c[k] = p * a.c[k]; });
    r.vacuous = a.vacuous;
    r.overflow = a.overflow;
    return r;
  }

  /// The error of p*a + q*b; the caller sets the value.
  [[gnu::always_inline]] static ErrorScalar linear(const V& p, const ErrorScalar& a, const V& q,
                                                   const ErrorScalar& b) {
    ErrorScalar r;
    r.e = abs(p) * a.e + abs(q) * b.e;
    for_each_symbol<kSymbols>([&](auto k) { r.c[k] = p * a.c[k] + q * b.c[k]; });
    r.vacuous = a.vacuous | b.vacuous;
    r.overflow = a.overflow | b.overflow;
    return r;
  }

  /// The number after one rounding, u (|v| + total()) + underflow, with the check of F's range.
  /// `finite` says whether the operands are finite: if so, an infinity is an overflow.
  template <class Finite>
  [[gnu::always_inline]] ErrorScalar rounded(double underflow, const Finite& finite) const {
    ErrorScalar r = *this;
    const V before = total();
    if constexpr (F::value_is_exact)
      r.e += F::u * (abs(v) + before) + underflow;
    else  // the sum may overflow in double
      r.e += F::u * abs(v) + F::u * before + underflow;
    r.note_range(reach(), before, finite);
    return r;
  }

  /// Sets `overflow` where the computed number may be larger than F's largest, before it is
  /// rounded. A number that is not larger is never rounded to infinity. `before` is its error then.
  template <class Finite>
  [[gnu::always_inline]] void note_range(const V& reach, const V& before, const Finite& finite) {
    const MaskOf<V> beyond = !(reach <= V(F::largest));
    if (any(beyond)) [[unlikely]]
      leave_range(beyond & finite(), before);
  }
  /// A surely larger result of numbers in range becomes an infinity (beyond_range.h). In double a
  /// result is surely larger if v is infinite and the operands have no error.
  void leave_range(const MaskOf<V>& where, const V& before) {
    MaskOf<V> sure = where & MaskOf<V>(!(vacuous | overflow));
    if constexpr (F::value_is_exact)
      sure = sure & (abs(v) - total() > V(F::largest * (1 + 2 * F::u)));
    else
      sure = sure & is_inf(v) & (before == V(0));
    overflow = overflow | where;
    become_infinite(*this, sure);
  }

  /// A function that returns true where both operands are finite.
  [[gnu::always_inline]] static auto finite(const ErrorScalar& a, const ErrorScalar& b) {
    return [&] { return MaskOf<V>(is_finite(a.v) & is_finite(b.v)); };
  }

  friend ErrorScalar operator+(const ErrorScalar& a, const ErrorScalar& b) {
    ErrorScalar r = linear(V(1), a.read(), V(1), b.read());
    r.v = a.v + b.v;
    return r.rounded(F::eta_of_sums, finite(a, b));
  }
  friend ErrorScalar operator-(const ErrorScalar& a, const ErrorScalar& b) {
    ErrorScalar r = linear(V(1), a.read(), V(-1), b.read());
    r.v = a.v - b.v;
    return r.rounded(F::eta_of_sums, finite(a, b));
  }
  friend ErrorScalar operator*(const ErrorScalar& x, const ErrorScalar& y) {
    const ErrorScalar& a = x.read();
    const ErrorScalar& b = y.read();
    ErrorScalar r = linear(b.v, a, a.v, b);
    r.v = a.v * b.v;
    r.e += F::second_order * a.total() * b.total();
    if (any(!(abs(r.v) <= V(F::largest)))) [[unlikely]]  // as it is where an operand is infinite
      r.overflow = r.overflow | (is_inf(a.v) & b.may_be_zero()) | (is_inf(b.v) & a.may_be_zero());
    return r.rounded(F::eta, finite(a, b));
  }
  /// a / d for an exact d. A power of two only changes the exponent, so that nothing is rounded.
  friend ErrorScalar operator/(const ErrorScalar& a, double d) {
    ErrorScalar r = scaled(V(1 / d), a.read());
    r.v = a.v / V(d);
    if (d == 0) r.overflow = r.overflow | a.may_be_zero();
    const auto finite = [&] { return MaskOf<V>(is_finite(a.v) & MaskOf<V>(d != 0)); };
    if (!is_power_of_two(d)) return r.rounded(F::eta, finite);
    r.e += F::eta;
    r.note_range(r.reach(), r.total(), finite);
    return r;
  }
};

template <class F, class V>
ErrorScalar<F, V> operator-(const ErrorScalar<F, V>& a) {
  ErrorScalar<F, V> r = ErrorScalar<F, V>::scaled(V(-1), a);
  r.v = -a.v;
  return r;
}

/// (a + da)/(b + db) - q = ((da - q db)/b) (1/(1 + db/b)), q = a/b: the first factor is linear in
/// the shared errors, the rest of the second is at most t/(1 - t), t = |db/b|.
template <class F, class V>
ErrorScalar<F, V> operator/(const ErrorScalar<F, V>& x, const ErrorScalar<F, V>& y) {
  const ErrorScalar<F, V>& a = x.read();
  const ErrorScalar<F, V>& b = y.read();
  const V q = a.v / b.v;
  ErrorScalar<F, V> r = ErrorScalar<F, V>::linear(V(1 / b.v), a, V(-q / b.v), b);
  r.v = q;
  const V t = b.total() / abs(b.v);
  const MaskOf<V> near = t < V(0.5);
  r.e += r.total() * select(near, V(t / (1 - t)), V(1));
  r.vacuous = r.vacuous | !near;
  r.overflow = r.overflow | b.may_be_zero() | (b.v == V(0));
  return r.rounded(F::eta, ErrorScalar<F, V>::finite(a, b));
}

template <class F, class V>
struct LanesOf<ErrorScalar<F, V>> : LanesOf<V> {};

template <class F, class V>
[[gnu::always_inline]] inline ErrorScalar<F, V> select(
    const Mask& m, const ErrorScalar<F, V>& a,
    const ErrorScalar<F, V>& b) requires(kLanesOf<V> > 1) {
  ErrorScalar<F, V> r(select(m, a.v, b.v));
  r.e = select(m, a.e, b.e);
  for_each_symbol<F::shared_errors>([&](auto k) { r.c[k] = select(m, a.c[k], b.c[k]); });
  r.vacuous = select(m, a.vacuous, b.vacuous);
  r.overflow = select(m, a.overflow, b.overflow);
  return r;
}

template <class F, class V>
inline ErrorScalar<F> lane(const ErrorScalar<F, V>& a, int i) {
  ErrorScalar<F> r(lane(a.v, i));
  r.e = lane(a.e, i);
  for_each_symbol<F::shared_errors>([&](auto k) { r.c[k] = lane(a.c[k], i); });
  r.vacuous = lane(a.vacuous, i);
  r.overflow = lane(a.overflow, i);
  return r;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
