// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/sine_double_double.h"
#include "oracles/arithmetic/wide_functions.h"
#include "oracles/graph/functions/truth_functions.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// f of each lane.
template <class Function>
TripledOf<Pack> of_each_lane(const TripledOf<Pack>& x, const Function& f) {
  double hi[kPackLanes];
  double mid[kPackLanes];
  double lo[kPackLanes];
  for (int k = 0; k < kPackLanes; ++k) {
    const TripledOf<double> y = f(lane(x, k));
    hi[k] = y.hi;
    mid[k] = y.mid;
    lo[k] = y.lo;
  }
  return {load<Pack>(hi), load<Pack>(mid), load<Pack>(lo)};
}

// The functions that triple-doubles have for one number at a time, and sines of double-doubles,
// which are NaN beyond kSineRange.

inline TripledOf<Pack> erf(const TripledOf<Pack>& x) {
  return of_each_lane(x, [](const TripledOf<double>& of) { return erf(of); });
}
inline TripledOf<Pack> sin(const TripledOf<Pack>& x) {
  return of_each_lane(x, [](const TripledOf<double>& of) { return sine_of(of, 0); });
}
inline TripledOf<Pack> cos(const TripledOf<Pack>& x) {
  return of_each_lane(x, [](const TripledOf<double>& of) { return sine_of(of, 1); });
}
inline DoubledOf<Pack> sin(const DoubledOf<Pack>& x) {
  const MaskOf<Pack> in_range = abs(x.hi) <= Pack(kSineRange);
  return value_where(in_range, x, DoubledOf<Pack>(sine_and_cosine(x.value()).sine));
}
inline DoubledOf<Pack> cos(const DoubledOf<Pack>& x) {
  const MaskOf<Pack> in_range = abs(x.hi) <= Pack(kSineRange);
  return value_where(in_range, x, DoubledOf<Pack>(sine_and_cosine(x.value()).cosine));
}

/// The functions of truth_functions.h for double-doubles or triple-doubles without a radius, in
/// which the audit takes differences. N is a pack of them. A function of double-doubles has a
/// relative error of 2^-96 at most, of triple-doubles of 2^-147. It is NaN where it has no value,
/// where the tables of its exponential end, and beyond the range of sines.
template <WideNumber N>
struct WideFunctionsOf {
  using Scalar = N;
  using T = Scalar;
  using V = decltype(T::hi);

  static T constant(Constant name) {
    static const T pi = PiOf<T>::value();
    static const T all[] = {
        constant_in<T>(Constant::sqrt_half, pi), constant_in<T>(Constant::normal_peak, pi),
        constant_in<T>(Constant::sqrt_two_over_pi, pi),
        constant_in<T>(Constant::two_over_root_pi, pi), constant_in<T>(Constant::gelu_cubic, pi)};
    return all[static_cast<int>(name)];
  }
  static T exp(const T& x) { return gradproof::exp(x); }
  static Logistic<T> logistic(const T& x) {
    const T t = exp(select(x.hi > V(0), -x, x));
    const T whole = T(V(1)) + t;
    const T large = T(V(1)) / whole;
    const T small = t / whole;
    const MaskOf<V> positive = x.hi > V(0);
    return {select(positive, large, small), select(positive, small, large)};
  }
  static T log(const T& x) { return gradproof::log(x); }
  static T log1p(const T& x) { return gradproof::log1p(x); }
  static T tanh(const T& x) { return gradproof::tanh(x); }
  static T erf(const T& x) { return gradproof::erf(x); }
  static T sin(const T& x) { return gradproof::sin(x); }
  static T cos(const T& x) { return gradproof::cos(x); }
  static T sqrt(const T& x) { return gradproof::sqrt(x); }
  /// a where x > 0 or x is NaN, else b.
  static T where_positive(const T& x, const T& a, const T& b) { return select(x.hi <= V(0), b, a); }
  static T max(const T& a, const T& b) { return select(a < b, b, a); }
  static T min(const T& a, const T& b) { return select(b < a, b, a); }
  static T between(const T& a, const T& b) { return (a + b) * T(V(0.5)); }
  static T stored(const T& x) { return x; }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
