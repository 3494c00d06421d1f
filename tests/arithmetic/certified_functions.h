// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/certified_functions.h"
#include "tests/arithmetic/certified.h"

/// The functions of certified_functions.h that an ArithmeticUnit has, and the same ones with one
/// wrong coefficient each, for the control.
namespace gradproof::oracle_tests {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// e^x - 1 where the polynomial's r^7/5040 is off by 2^-20 of it.
template <class V>
DoubleDoubleOf<V> wrong_exponential_minus_one(const DoubleDoubleOf<V>& x) {
  const V r = reduced(x).rest.hi;
  const V cube = r * r * r;
  const DoubleDoubleOf<V> value = exponential_minus_one(x);
  return plus(value, V((1 + value.hi) * (cube * cube * r) * (0x1p-20 / 5040)));
}

/// erf(x) near the node 0.5 where the fifth term, 1/120 t^4, is off by 2^-50 of it.
template <class V>
DoubleDoubleOf<V> wrong_error_function(const DoubleDoubleOf<V>& x) {
  const DoubleDoubleOf<V> t = plus(x, V(-0.5));
  const V square = t.hi * t.hi;
  return plus(error_function(x), V(t.hi * (square * square) * (0x1p-50 / 120)));
}

/// log(m), m = 1 + w, where the estimate's series has 1/5 (1 + 2^-12) in place of 1/5.
template <class V>
DoubleDoubleOf<V> wrong_logarithm(const DoubleDoubleOf<V>& m, const DoubleDoubleOf<V>& w) {
  const V z = w.hi / (2 + w.hi);
  const V off = 2 * z * (z * z) * (z * z) * (0x1p-12 / 5);
  return corrected_logarithm(V(estimated_logarithm(w.hi) + off), m, w);
}

template <class V>
CertifiedOf<V> function_of(Function function, const CertifiedOf<V>& a) {
  switch (function) {
    case Function::expm1:
      return expm1(a);
    case Function::tanh:
      return tanh(a);
    case Function::erf:
      return erf(a);
    case Function::log:
      return log(a);
    case Function::sin:
      return sin(a);
    case Function::cos:
      return cos(a);
    default:
      return log1p(a);
  }
}

/// The wrong value with the right one's radius.
template <class V>
CertifiedOf<V> wrong_function_of(Function function, const CertifiedOf<V>& a) {
  const DoubleDoubleOf<V> x = a.value();
  DoubleDoubleOf<V> value;
  if (function == Function::expm1) {
    value = wrong_exponential_minus_one(x);
  } else if (function == Function::tanh) {
    const DoubleDoubleOf<V> t = wrong_exponential_minus_one<V>({2 * x.hi, 2 * x.lo});
    value = over(t, plus(t, V(2)));
  } else if (function == Function::erf) {
    value = wrong_error_function(x);
  } else if (function == Function::log) {
    value = wrong_logarithm(x, plus(x, V(-1)));
  } else if (function == Function::sin) {  // terms too few
    value = times(x, alternating_series(times(x, x), 13, 3));
  } else if (function == Function::cos) {
    value = alternating_series(times(x, x), 12, 2);
  } else {
    value = wrong_logarithm(plus(x, V(1)), x);
  }
  return {value.hi, value.lo, function_of(function, a).radius};
}

template <class V>
void function_in(Function function, bool wrong, const Triple* a, std::int64_t count, Triple* to) {
  for (std::int64_t i = 0; i < count; i += kLanesOf<V>) {
    const std::int64_t here = count - i < kLanesOf<V> ? count - i : kLanesOf<V>;
    const CertifiedOf<V> x = loaded<V>(a + i, here);
    const CertifiedOf<V> y = wrong ? wrong_function_of(function, x) : function_of(function, x);
    for (int k = 0; k < here; ++k) to[i + k] = triple(lane(y, k));
  }
}

inline void function_both(Function function, bool wrong, const Triple* a, std::int64_t count,
                          Triple* packed, Triple* single) {
  function_in<Pack>(function, wrong, a, count, packed);
  function_in<double>(function, wrong, a, count, single);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof::oracle_tests
