// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "properties/calibration/sizes/programs/arithmetic.h"

namespace gradproof::programs {

/// A matrix, and a cotangent for each row.
template <class T>
struct ReducedRows {
  explicit ReducedRows(const Tensors& in)
      : shape(get(in, "x").shape()),
        x(numbers_of<T>(get(in, "x"))),
        dy(numbers_of<T>(get(in, "dy"))) {}

  /// Value and gradient: y is number(row), dx is number(row, place in x).
  template <class Value, class Gradient>
  Tensors tensors(DType type, const Value& value, const Gradient& gradient) const {
    return {
        {"y", stored(type, Shape{shape[0]}, value)},
        {"d_x", stored(type, shape, [&](std::int64_t i) { return gradient(i / shape[1], i); })}};
  }

  Shape shape;
  std::vector<T> x, dy;
};

template <class T>
Tensors mean(const Arithmetic<T>& a, const Tensors& in) {
  const ReducedRows<T> m(in);
  const std::int64_t n = m.shape[1];
  return m.tensors(
      a.storage(),
      [&](std::int64_t row) {
        return a.long_sum(n, [&](std::int64_t i) { return a.operand(m.x[row * n + i]); }) /
               a.divisor(n);
      },
      [&](std::int64_t row, std::int64_t) { return m.dy[a.broadcast(row)] / a.divisor(n); });
}

/// x Phi(x) and its derivative, by erf or by tanh (Hendrycks, Gimpel 2016, arXiv:1606.08415).
template <class T>
class Gelu {
 public:
  explicit Gelu(const Arithmetic<T>& a) : a_(a) {}

  T value(T x) const {
    return a_.has(Fault::tanh_gelu) ? T(0.5) * x * (T(1) + std::tanh(inner(x))) : x * phi(x);
  }
  T derivative(T x) const {
    if (!a_.has(Fault::tanh_gelu))
      return phi(x) + x * static_cast<T>(0.3989422804014327) * a_.exp(T(-0.5) * x * x);
    const T t = std::tanh(inner(x));
    return T(0.5) * (T(1) + t) +
           T(0.5) * x * (T(1) - t * t) * kRoot * (T(1) + T(3) * kCube * x * x);
  }

 private:
  static constexpr T kRoot = static_cast<T>(0.7978845608028654);  // sqrt(2/pi)
  static constexpr T kCube = static_cast<T>(0.044715);

  static T inner(T x) { return kRoot * (x + kCube * x * x * x); }
  static T phi(T x) { return T(0.5) * (T(1) + std::erf(x * static_cast<T>(0.7071067811865476))); }

  const Arithmetic<T>& a_;
};

/// sum of gelu(x)
template <class T>
Tensors gelu_sum(const Arithmetic<T>& a, const Tensors& in) {
  const ReducedRows<T> m(in);
  const std::int64_t n = m.shape[1];
  const Gelu<T> gelu(a);
  const auto h = [&](T x) { return a.operand(a.between(gelu.value(x))); };
  return m.tensors(
      a.storage(),
      [&](std::int64_t row) {
        return a.long_sum(n, [&](std::int64_t i) { return h(m.x[row * n + i]); });
      },
      [&](std::int64_t row, std::int64_t at) {
        return m.dy[a.broadcast(row)] * gelu.derivative(m.x[at]);
      });
}

/// silu(x + bias): the bias has a gradient that is summed over all rows.
template <class T>
Tensors bias_swish(const Arithmetic<T>& a, const Tensors& in) {
  const std::vector<T> x = numbers_of<T>(get(in, "x")), dy = numbers_of<T>(get(in, "dy")),
                       bias = numbers_of<T>(get(in, "bias"));
  const Shape& shape = get(in, "x").shape();
  const std::int64_t cols = shape[1];
  const auto h = [&](std::int64_t i, std::int64_t col) { return a.between(x[i] + bias[col]); };
  const auto sigmoid = [&](T v) { return a.quotient(T(1), T(1) + a.exp(-v)); };
  const auto dx = [&](std::int64_t i) {
    const T v = h(i, a.broadcast(i % cols)), s = sigmoid(v);
    return a.between(dy[i] * (s * (T(1) + v * (T(1) - s))));
  };
  return {{"y", stored(a.storage(), shape,
                       [&](std::int64_t i) {
                         const T v = h(i, i % cols);
                         return v * sigmoid(v);
                       })},
          {"d_x", stored(a.storage(), shape, dx)},
          {"d_bias", stored(a.storage(), Shape{cols}, [&](std::int64_t col) {
             return a.long_sum(shape[0], [&](std::int64_t r) { return dx(r * cols + col); });
           })}};
}

}  // namespace gradproof::programs
