// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

#include "oracles/graph/functions/quotient.h"
#include "oracles/graph/functions/steepness.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

struct Relu {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.max(x, T(0));
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    return f.where_positive(x, T(1), T(0));
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1, 0, 0, KinkPlaces(0), 1};
  }
};

struct LeakyRelu {
  double slope;
  template <class F, class T>
  T value(const F& f, const T& x) const {
    return f.where_positive(x, x, T(x * literal_of(f, T(slope))));
  }
  template <class F, class T>
  T derivative(const F& f, const T& x, const T&) const {
    return f.where_positive(x, T(1), literal_of(f, T(slope)));
  }
  template <class V>
  Steepness<V> steepness(const V&, const V&) const {
    return {max(1.0, abs(slope)), 0, 0, KinkPlaces(0), abs(1 - slope)};
  }
};

/// scale x above 0, scale alpha (e^(input_scale x) - 1) elsewhere (Clevert, Unterthiner, Hochreiter
/// 2016, arXiv:1511.07289; torch has SELU and CELU as cases of it).
struct Elu {
  double alpha;
  double scale;
  double input_scale;
  template <class F, class T>
  T value(const F& f, const T& x) const {
    const T power = f.exp(T(f.min(x, T(0)) * literal_of(f, T(input_scale))));
    return f.where_positive(x, T(x * literal_of(f, T(scale))), T(below(f, T(power - T(1)))));
  }
  template <class F, class T>
  T derivative(const F& f, const T& x, const T&) const {
    const T power = f.exp(T(f.min(x, T(0)) * literal_of(f, T(input_scale))));
    const T slope = below(f, T(power * literal_of(f, T(input_scale))));
    return f.where_positive(x, literal_of(f, T(scale)), slope);
  }
  /// The form of torch's ELU in place, which has kept y alone.
  template <class F, class T>
  T derivative_from_value(const F& f, const T& y) const {
    const T above = y + literal_of(f, T(alpha * scale));
    return f.where_positive(y, literal_of(f, T(scale)), T(above * literal_of(f, T(input_scale))));
  }
  template <class V>
  Steepness<V> steepness(const V&, const V&) const {
    const double size = std::abs(alpha * scale);
    const double slope = size * input_scale;
    return {std::max(std::abs(scale), slope), slope * input_scale,
            slope * input_scale * input_scale, KinkPlaces(0),
            std::abs(scale - alpha * scale * input_scale)};
  }

 private:
  template <class F, class T>
  T below(const F& f, const T& number) const {
    return number * literal_of(f, T(alpha)) * literal_of(f, T(scale));
  }
};

struct Hardswish {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return quotient_of(f, T(x * f.min(f.max(T(x + T(3)), T(0)), T(6)) / 6.0));
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    const T inside = quotient_of(f, T(x / 3.0)) + T(0.5);
    return f.where_positive(T(x - T(3)), T(1), f.where_positive(T(x + T(3)), inside, T(0)));
  }
  /// The form in which both summands are multiplied with dy first, which rounds each.
  template <class F, class T>
  static T libtorch_derivative(const F& f, const T& x, const T&) {
    const T clamped = f.min(f.max(T(x + T(3)), T(0)), T(6));
    const T gate = quotient_of(f, T(clamped / 6.0)) * T(1);
    const T inside = gate + quotient_of(f, T(x / 6.0)) * T(1);
    return f.where_positive(T(x - T(3)), gate, f.where_positive(T(x + T(3)), inside, T(0)));
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1.5, 1.0 / 3, 0, KinkPlaces(-3, 3), 0.5, true};
  }
};

struct Hardtanh {
  double least;
  double largest;
  template <class F, class T>
  T value(const F& f, const T& x) const {
    return f.min(f.max(x, literal_of(f, T(least))), literal_of(f, T(largest)));
  }
  template <class F, class T>
  T derivative(const F& f, const T& x, const T&) const {
    return f.where_positive(T(x - T(least)), f.where_positive(T(T(largest) - x), T(1), T(0)), T(0));
  }
  template <class V>
  Steepness<V> steepness(const V&, const V&) const {
    return {1, 0, 0, KinkPlaces(least, largest), 1, true};
  }
};

struct Abs {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.max(x, T(-x));
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    return f.where_positive(x, T(1), f.where_positive(T(-x), T(-1), T(0)));
  }
  template <class V>
  static Steepness<V> steepness(const V&, const V&) {
    return {1, 0, 0, KinkPlaces(0), 2};
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
