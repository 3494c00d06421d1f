// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <type_traits>

#include "oracles/arithmetic/forms.h"
#include "oracles/arithmetic/lanes.h"
#include "oracles/bounds/number_type.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// each(0), each(1), ... with constant indices: then the compiler keeps the symbols in registers.
template <class Each>
[[gnu::always_inline]] inline void for_each_symbol(const Each& each) {
  static_assert(kSharedErrors == 4);
  each(std::integral_constant<std::size_t, 0>());
  each(std::integral_constant<std::size_t, 1>());
  each(std::integral_constant<std::size_t, 2>());
  each(std::integral_constant<std::size_t, 3>());
}

/// A value with what a computation in the number type F may add to it: an independent error of at
/// most e, and for each SharedError a signed coefficient times one unknown number in [-1, 1] that
/// all elements of the unit share, so that it cancels in sums as the kernel's own error does.
/// docs/bounds.md derives every rule. The arithmetic of the bookkeeping itself is double; V is
/// double, or Pack: then so many values.
template <class F, class V = double>
struct ErrorScalar {
  V v = 0;
  V e = 0;
  V c[kSharedErrors] = {};
  MaskOf<V> vacuous = false;  ///< first order says nothing here
  /// F's range may have been left on the way, or the class of a NaN or infinity hangs on an error:
  /// a kernel may answer any of them. What the inputs say themselves, Inf or NaN, does not set it.
  MaskOf<V> overflow = false;

  ErrorScalar() = default;
  explicit ErrorScalar(V exact) : v(exact) {}
  // Member by member: the compiler's own copy goes through memory, in other widths than it was
  // written, which costs more than the arithmetic.
  [[gnu::always_inline]] ErrorScalar(const ErrorScalar& o)
      : v(o.v),
        e(o.e),
        c{o.c[0], o.c[1], o.c[2], o.c[3]},
        vacuous(o.vacuous),
        overflow(o.overflow) {}
  [[gnu::always_inline]] ErrorScalar& operator=(const ErrorScalar& o) {
    v = o.v;
    e = o.e;
    for_each_symbol([&](auto k) { c[k] = o.c[k]; });
    vacuous = o.vacuous;
    overflow = o.overflow;
    return *this;
  }
  /// Equal lanes.
  static ErrorScalar everywhere(const ErrorScalar<F, double>& one) {
    ErrorScalar r(V(one.v));
    r.e = one.e;
    for_each_symbol([&](auto k) { r.c[k] = one.c[k]; });
    r.vacuous = one.vacuous;
    r.overflow = one.overflow;
    return r;
  }

  [[gnu::always_inline]] V& of(SharedError symbol) { return c[static_cast<std::size_t>(symbol)]; }

  /// |computed - exact| <= total().
  [[gnu::always_inline]] V total() const {
    return ((e + abs(c[0])) + abs(c[1])) + (abs(c[2]) + abs(c[3]));
  }

  /// How large a computed one may be. A v that is off by total() itself, and was rounded once more,
  /// stands for a larger number; without an error the kernel has the same operands.
  [[gnu::always_inline]] V reach() const {
    const V t = total();
    if constexpr (F::value_is_exact) return abs(v) + t;
    return select(t > V(0), V((abs(v) + 2 * t) * (1 + 4 * F::u)), V(abs(v)));
  }

  /// Its error reaches 0 or beyond: Inf times it, or it over 0, is Inf of either sign or NaN.
  [[gnu::always_inline]] MaskOf<V> may_be_zero() const {
    const V t = total();
    return vacuous | ((t > V(0)) & (abs(v) <= t));
  }

  /// As an operation takes it: where F flushes, what may be subnormal may count as 0.
  [[gnu::always_inline]] ErrorScalar read() const {
    ErrorScalar r = *this;
    if constexpr (F::flushes) {
      const V t = total();
      r.e += select(abs(v) - t < V(F::smallest_normal), min(V(F::eta), abs(v) + t), V(0));
    }
    return r;
  }

  /// p*a for the errors only; the value is set by the caller.
  [[gnu::always_inline]] static ErrorScalar scaled(const V& p, const ErrorScalar& a) {
    ErrorScalar r;
    r.e = abs(p) * a.e;
    for_each_symbol([&](auto k) { r.c[k] = p * a.c[k]; });
    r.vacuous = a.vacuous;
    r.overflow = a.overflow;
    return r;
  }

  /// p*a + q*b, as scaled().
  [[gnu::always_inline]] static ErrorScalar linear(const V& p, const ErrorScalar& a, const V& q,
                                                   const ErrorScalar& b) {
    ErrorScalar r;
    r.e = abs(p) * a.e + abs(q) * b.e;
    for_each_symbol([&](auto k) { r.c[k] = p * a.c[k] + q * b.c[k]; });
    r.vacuous = a.vacuous | b.vacuous;
    r.overflow = a.overflow | b.overflow;
    return r;
  }

  /// One rounding of the result, and whether the result is surely within F's range. `finite` tells
  /// whether its operands are: then an infinity is no input's, but double's own range left.
  template <class Finite>
  [[gnu::always_inline]] ErrorScalar rounded(double underflow, const Finite& finite) const {
    ErrorScalar r = *this;
    const V magnitude = abs(v) + total();
    r.e += F::u * magnitude + underflow;
    r.note_range(reach(), finite);
    return r;
  }

  /// A number whose computed value may lie beyond F's largest, before it is rounded: what is within
  /// it is not rounded beyond.
  template <class Finite>
  [[gnu::always_inline]] void note_range(const V& reach, const Finite& finite) {
    const MaskOf<V> beyond = !(reach <= V(F::largest));
    if (any(beyond)) [[unlikely]]
      overflow = overflow | (beyond & finite());
  }

  /// Of both operands.
  [[gnu::always_inline]] static auto finite(const ErrorScalar& a, const ErrorScalar& b) {
    return [&] { return MaskOf<V>(is_finite(a.v) & is_finite(b.v)); };
  }

  [[gnu::always_inline]] friend ErrorScalar operator+(const ErrorScalar& a, const ErrorScalar& b) {
    ErrorScalar r = linear(V(1), a.read(), V(1), b.read());
    r.v = a.v + b.v;
    return r.rounded(F::eta_of_sums, finite(a, b));
  }
  [[gnu::always_inline]] friend ErrorScalar operator-(const ErrorScalar& a, const ErrorScalar& b) {
    ErrorScalar r = linear(V(1), a.read(), V(-1), b.read());
    r.v = a.v - b.v;
    return r.rounded(F::eta_of_sums, finite(a, b));
  }
  [[gnu::always_inline]] friend ErrorScalar operator*(const ErrorScalar& x, const ErrorScalar& y) {
    const ErrorScalar a = x.read();
    const ErrorScalar b = y.read();
    ErrorScalar r = linear(b.v, a, a.v, b);
    r.v = a.v * b.v;
    r.e += F::second_order * a.total() * b.total();
    if (any(is_inf(a.v) | is_inf(b.v))) [[unlikely]]
      r.overflow = r.overflow | (is_inf(a.v) & b.may_be_zero()) | (is_inf(b.v) & a.may_be_zero());
    return r.rounded(F::eta, finite(a, b));
  }
  /// By an exact number; a power of two only shifts the exponent.
  [[gnu::always_inline]] friend ErrorScalar operator/(const ErrorScalar& a, double d) {
    ErrorScalar r = scaled(V(1 / d), a.read());
    r.v = a.v / V(d);
    if (d == 0) r.overflow = r.overflow | a.may_be_zero();
    const auto finite = [&] { return MaskOf<V>(is_finite(a.v) & MaskOf<V>(d != 0)); };
    if (!is_power_of_two(d)) return r.rounded(F::eta, finite);
    r.e += F::eta;
    r.note_range(r.reach(), finite);
    return r;
  }
};

template <class F, class V>
struct LanesOf<ErrorScalar<F, V>> : LanesOf<V> {};

template <class F, class V>
[[gnu::always_inline]] inline ErrorScalar<F, V> select(
    const Mask& m, const ErrorScalar<F, V>& a,
    const ErrorScalar<F, V>& b) requires(kLanesOf<V> > 1) {
  ErrorScalar<F, V> r(select(m, a.v, b.v));
  r.e = select(m, a.e, b.e);
  for_each_symbol([&](auto k) { r.c[k] = select(m, a.c[k], b.c[k]); });
  r.vacuous = select(m, a.vacuous, b.vacuous);
  r.overflow = select(m, a.overflow, b.overflow);
  return r;
}

template <class F, class V>
inline ErrorScalar<F> lane(const ErrorScalar<F, V>& a, int i) {
  ErrorScalar<F> r(lane(a.v, i));
  r.e = lane(a.e, i);
  for_each_symbol([&](auto k) { r.c[k] = lane(a.c[k], i); });
  r.vacuous = lane(a.vacuous, i);
  r.overflow = lane(a.overflow, i);
  return r;
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
