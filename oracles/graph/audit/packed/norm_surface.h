// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/arithmetic/lanes.h"
#include "oracles/pipeline/unit.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The points of [-1, 1] at which a function is evaluated for interpolation: 0, then each multiple
/// of 1/64 with the largest product of distances to the points before it (Leja 1957).
struct LejaNodes {
  static constexpr int kMost = 16;
  double at[kMost] = {};
  double product[kMost] = {};  ///< the largest on [-1, 1] of |x - at[0]| ... |x - at[k-1]|

  constexpr LejaNodes() {
    product[0] = 1;
    for (int k = 1; k < kMost; ++k)
      for (int j = -64; j <= 64; ++j) {
        double distances = 1;
        for (int i = 0; i < k; ++i) distances *= j / 64.0 - at[i];
        if (distances < 0) distances = -distances;
        if (!(distances > product[k])) continue;
        product[k] = distances;
        at[k] = j / 64.0;
      }
  }
};
inline constexpr LejaNodes kLeja;

template <class T>
[[gnu::always_inline]] inline T size_of_number(const T& a) {
  return select(a >= T(0), a, T(-a));
}
template <class T>
[[gnu::always_inline]] inline T larger(const T& a, const T& b) {
  return select(a < b, b, a);
}

/// The relative rounding error of T's operations: the worst found when some quotients, roots and
/// exponentials are undone.
template <class T>
T observed_rounding() {
  T worst(0);
  for (int k = 3; k < 40; k += 2) {
    const T whole = T(static_cast<double>(k));
    const T root = sqrt(whole);
    const T small = whole / 8.0;
    for (const T& loss : {T((T(1) / whole) * whole - T(1)), T((root * root - whole) / whole),
                          T(exp(T(-small)) * exp(small) - T(1))})
      worst = larger(worst, size_of_number(loss));
  }
  return worst;
}

/// A function of two numbers with value 0 at (0, 0), interpolated from its values at the nodes
/// (box x, box y), x and y in kLeja, by the polynomial of total degree `degree` (Newton's form).
template <class T>
class Surface {
 public:
  /// `value(x, y)` has equal lanes; `box` is a power of two.
  template <class Value>
  void fit(int degree, double box, const Value& value) {
    degree_ = degree;
    box_ = box;
    coefficients_.resize(index(degree, degree) + 1);
    for (int a = 0; a <= degree; ++a)
      for (int b = 0; a + b <= degree; ++b)
        at(a, b) = a + b == 0 ? T(0) : value(box * kLeja.at[a], box * kLeja.at[b]);
    for (int b = 0; b <= degree; ++b)
      for (int k = 1; k <= degree - b; ++k)
        for (int a = degree - b; a >= k; --a)
          at(a, b) = (at(a, b) - at(a - 1, b)) / (kLeja.at[a] - kLeja.at[a - k]);
    for (int a = 0; a <= degree; ++a)
      for (int k = 1; k <= degree - a; ++k)
        for (int b = degree - a; b >= k; --b)
          at(a, b) = (at(a, b) - at(a, b - 1)) / (kLeja.at[b] - kLeja.at[b - k]);
  }

  /// The largest absolute value of a term of the highest degree within the box. Terms of the next
  /// degree are smaller by the box over the distance to the nearest singularity.
  T highest_terms() const {
    T most(0);
    for (int a = 0; a <= degree_; ++a) {
      const int b = degree_ - a;
      const T term = size_of_number(at(a, b)) * T(kLeja.product[a] * kLeja.product[b]);
      most = larger(most, term);
      if (any(!(term >= T(0)))) return term;  // NaN
    }
    return most;
  }

  MaskOf<T> covers(const T& x, const T& y) const { return inside(x) & inside(y); }

  T operator()(const T& x, const T& y) const {
    const T u = x * T(1 / box_);
    const T w = y * T(1 / box_);
    T sum(0);
    for (int a = degree_; a >= 0; --a) {
      T row = at(a, degree_ - a);
      for (int b = degree_ - a - 1; b >= 0; --b) row = row * (w - T(kLeja.at[b])) + at(a, b);
      sum = a == degree_ ? row : sum * (u - T(kLeja.at[a])) + row;
    }
    return sum;
  }

 private:
  MaskOf<T> inside(const T& x) const { return (T(-box_) < x) & (x < T(box_)); }

  std::size_t index(int a, int b) const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(degree_ + 1) +
           static_cast<std::size_t>(b);
  }
  T& at(int a, int b) { return coefficients_[index(a, b)]; }
  const T& at(int a, int b) const { return coefficients_[index(a, b)]; }

  int degree_ = 0;
  double box_ = 1;
  Values<T> coefficients_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
