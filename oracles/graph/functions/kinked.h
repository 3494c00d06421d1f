// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>

#include "oracles/graph/functions/steepness.h"

namespace gradproof {

struct Relu {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return f.max(x, T(0));
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    return f.where_positive(x, T(1), T(0));
  }
  static Steepness steepness(double, double) { return {1, 0, 0, {0}, 1}; }
};

struct LeakyRelu {
  double slope;
  template <class F, class T>
  T value(const F& f, const T& x) const {
    return f.where_positive(x, x, T(x * T(slope)));
  }
  template <class F, class T>
  T derivative(const F& f, const T& x, const T&) const {
    return f.where_positive(x, T(1), T(slope));
  }
  Steepness steepness(double, double) const {
    return {std::max(1.0, std::abs(slope)), 0, 0, {0}, std::abs(1 - slope)};
  }
};

struct Hardswish {
  template <class F, class T>
  static T value(const F& f, const T& x) {
    return x * f.min(f.max(T(x + T(3)), T(0)), T(6)) / 6.0;
  }
  template <class F, class T>
  static T derivative(const F& f, const T& x, const T&) {
    const T inside = x / 3.0 + T(0.5);
    return f.where_positive(T(x - T(3)), T(1), f.where_positive(T(x + T(3)), inside, T(0)));
  }
  static Steepness steepness(double, double) { return {1.5, 1.0 / 3, 0, {-3, 3}, 0.5, true}; }
};

struct Hardtanh {
  double least;
  double largest;
  template <class F, class T>
  T value(const F& f, const T& x) const {
    return f.min(f.max(x, T(least)), T(largest));
  }
  template <class F, class T>
  T derivative(const F& f, const T& x, const T&) const {
    return f.where_positive(T(x - T(least)), f.where_positive(T(T(largest) - x), T(1), T(0)), T(0));
  }
  Steepness steepness(double, double) const { return {1, 0, 0, {least, largest}, 1, true}; }
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
  static Steepness steepness(double, double) { return {1, 0, 0, {0}, 2}; }
};

}  // namespace gradproof
