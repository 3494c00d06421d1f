// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <unordered_map>
#include <utility>

#include <boost/math/constants/constants.hpp>

#include "oracles/arithmetic/real.h"
#include "oracles/graph/functions/rounding.h"
#include "oracles/graph/functions/truth_functions.h"

namespace gradproof {

inline Real real_constant(Constant name) {
  return constant_in(name, boost::math::constants::pi<Real>());
}

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// 50 digits. An exponential takes some microseconds, and adjoints ask for those of the value
/// again: the object keeps them.
template <>
struct PlainFunctions<Real> {
  using Scalar = Real;
  using T = Real;

  static T constant(Constant name) { return real_constant(name); }
  static T exp(const T& x) { return boost::multiprecision::exp(x); }
  Logistic<T> logistic(const T& x) const {
    if (!isfinite(x)) return gradproof::logistic(x);
    if (recent_.size() >= kMostRecent) recent_.clear();
    const auto [found, is_new] = recent_.try_emplace(x.convert_to<double>());
    if (is_new || found->second.first != x) found->second = {x, gradproof::logistic(x)};
    return found->second.second;
  }
  static T log(const T& x) { return boost::multiprecision::log(x); }
  static T log1p(const T& x) { return boost::multiprecision::log1p(x); }
  static T tanh(const T& x) { return boost::multiprecision::tanh(x); }
  static T erf(const T& x) { return boost::multiprecision::erf(x); }
  static T sin(const T& x) { return has_digits(x) ? T(boost::multiprecision::sin(x)) : x * 0; }
  static T cos(const T& x) { return has_digits(x) ? T(boost::multiprecision::cos(x)) : x * 0; }
  static T sqrt(const T& x) { return boost::multiprecision::sqrt(x); }
  static T where_positive(const T& x, const T& a, const T& b) { return x <= T(0) ? b : a; }
  static T max(const T& a, const T& b) { return a != a || a > b ? a : b; }
  static T min(const T& a, const T& b) { return a != a || a < b ? a : b; }
  static T between(const T& a, const T& b) { return (a + b) * T(0.5); }
  static T stored(const T& x) { return x; }

 private:
  /// True if x is no larger than some double. The reduction of a larger argument, as an exponential
  /// of an exponential may be, takes as many digits as that has; nothing is said of its sine.
  static bool has_digits(const T& x) { return abs(x) <= std::numeric_limits<double>::max(); }

  static constexpr std::size_t kMostRecent = 1 << 14;

  /// Has the argument and the logistic by the argument as a double.
  mutable std::unordered_map<double, std::pair<T, Logistic<T>>> recent_ = {};
};

inline Real on_grid(const Grid& grid, const Real& x) {
  const auto v = x.convert_to<double>();
  const Real rest = std::isfinite(v) ? Real(x - v) : Real(0);
  return Real(nearest_with_rest(grid, v, rest < 0 ? -1 : rest > 0 ? 1 : 0));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
