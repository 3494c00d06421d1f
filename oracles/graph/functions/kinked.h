// SPDX-License-Identifier: Apache-2.0
#pragma once
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
