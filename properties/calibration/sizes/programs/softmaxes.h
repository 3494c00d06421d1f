// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "properties/calibration/sizes/programs/arithmetic.h"

namespace gradproof::programs {

/// The maximum of a row and the sum of its exponentials.
template <class T>
struct RowExponentials {
  T maximum = T(0);
  T sum = T(0);  ///< of exp(x - maximum)
};

template <class T, class Row>
RowExponentials<T> exponentials_of(const Arithmetic<T>& a, std::int64_t count, const Row& x) {
  RowExponentials<T> row{-std::numeric_limits<T>::infinity(), T(0)};
  if (a.form() == Form::online) {
    // Milakov, Gimelshein 2018, arXiv:1805.02867, Algorithm 3
    for (std::int64_t i = 0; i < a.terms(count); ++i) {
      const T maximum = std::max(row.maximum, x(i));
      row.sum = row.sum * a.exp(row.maximum - maximum) + a.exp(x(i) - maximum);
      row.maximum = maximum;
    }
    return row;
  }
  for (std::int64_t i = 0; i < count; ++i) row.maximum = std::max(row.maximum, x(i));
  row.sum = a.long_sum(count, [&](std::int64_t i) { return a.exp(x(i) - row.maximum); });
  return row;
}

/// The cotangent of a maximum that nothing but its exponentials takes.
template <class T>
T nothing(std::int64_t) {
  return T(0);
}

/// A matrix of logits whose rows have exponentials.
template <class T>
class Logits {
 public:
  Logits(const Arithmetic<T>& a, const Tensors& in)
      : a_(a),
        shape_(get(in, "x").shape()),
        x_(numbers_of<T>(get(in, "x"))),
        dy_(numbers_of<T>(get(in, "dy"))) {
    for (std::int64_t r = 0; r < rows(); ++r)
      statistics_.push_back(exponentials_of(a, cols(), [&](std::int64_t i) { return x(r, i); }));
  }

  const Shape& shape() const { return shape_; }
  std::int64_t rows() const { return shape_[0]; }
  std::int64_t cols() const { return shape_[1]; }
  T x(std::int64_t row, std::int64_t i) const { return x_[row * cols() + i]; }
  /// The cotangent of an output of the same shape, and that of an output with one number for each
  /// row.
  T dy(std::int64_t row, std::int64_t i) const { return dy_[row * cols() + i]; }
  T dy(std::int64_t row) const { return dy_[row]; }

  T probability(std::int64_t row, std::int64_t i) const {
    const RowExponentials<T>& s = statistics(row);
    return a_.quotient(a_.exp(x(row, i) - s.maximum), s.sum);
  }
  T log_probability(std::int64_t row, std::int64_t i) const {
    const RowExponentials<T>& s = statistics(row);
    return x(row, i) - s.maximum - std::log(s.sum);
  }
  T log_sum(std::int64_t row) const {
    return statistics(row).maximum + std::log(statistics(row).sum);
  }

  /// The gradient of x from the cotangent of x - m; `passed(row)` is the other cotangent of m.
  template <class Number, class Passed>
  Tensor gradient(const Number& number, const Passed& passed) const {
    if (a_.form() != Form::followed) return matrix(number);
    std::vector<T> all;
    for (std::int64_t r = 0; r < rows(); ++r) {
      const auto term = [&](std::int64_t i) { return a_.between(number(r, i)); };
      std::int64_t largest = 0;
      for (std::int64_t i = 0; i < cols(); ++i) {
        if (x(r, i) > x(r, largest)) largest = i;
        all.push_back(term(i));
      }
      all[r * cols() + largest] += passed(r) - a_.sum(cols(), term);
    }
    return matrix([&](std::int64_t r, std::int64_t i) { return all[r * cols() + i]; });
  }

  template <class Number>
  Tensor matrix(const Number& number) const {
    return stored(a_.storage(), shape_,
                  [&](std::int64_t i) { return number(i / cols(), i % cols()); });
  }

 private:
  const RowExponentials<T>& statistics(std::int64_t row) const {
    return statistics_[a_.statistics_of(row, rows())];
  }

  const Arithmetic<T>& a_;
  const Shape shape_;
  const std::vector<T> x_, dy_;
  std::vector<RowExponentials<T>> statistics_;
};

/// dx = y (dy - sum dy y)
template <class T>
Tensors softmax(const Arithmetic<T>& a, const Tensors& in) {
  const Logits<T> l(a, in);
  const auto y = [&](std::int64_t r, std::int64_t i) { return a.between(l.probability(r, i)); };
  std::vector<T> along(static_cast<std::size_t>(l.rows()), T(0));
  if (!a.has(Fault::projection_term))
    for (std::int64_t r = 0; r < l.rows(); ++r)
      along[r] = a.sum(l.cols(), [&](std::int64_t i) { return l.dy(r, i) * y(r, i); });
  return {{"y", l.matrix(y)},
          {"d_x", l.gradient(
                      [&](std::int64_t r, std::int64_t i) {
                        return y(r, i) * (l.dy(a.broadcast(r), i) - along[r]);
                      },
                      nothing<T>)}};
}

/// dx = dy - exp(y) sum dy
template <class T>
Tensors log_softmax(const Arithmetic<T>& a, const Tensors& in) {
  const Logits<T> l(a, in);
  const auto y = [&](std::int64_t r, std::int64_t i) { return a.between(l.log_probability(r, i)); };
  std::vector<T> sums(static_cast<std::size_t>(l.rows()), T(0));
  if (!a.has(Fault::projection_term))
    for (std::int64_t r = 0; r < l.rows(); ++r)
      sums[r] = a.sum(l.cols(), [&](std::int64_t i) { return l.dy(r, i); });
  return {{"y", l.matrix(y)},
          {"d_x", l.gradient(
                      [&](std::int64_t r, std::int64_t i) {
                        return l.dy(a.broadcast(r), i) - a.exp(y(r, i)) * sums[r];
                      },
                      nothing<T>)}};
}

/// dx = dy exp(x - y)
template <class T>
Tensors logsumexp(const Arithmetic<T>& a, const Tensors& in) {
  const Logits<T> l(a, in);
  const auto y = [&](std::int64_t r) { return a.between(l.log_sum(r)); };
  return {{"y", stored(a.storage(), Shape{l.rows()}, y)},
          {"d_x", l.gradient(
                      [&](std::int64_t r, std::int64_t i) {
                        return l.dy(a.broadcast(r)) * a.exp(l.x(r, i) - y(r));
                      },
                      [&](std::int64_t r) { return l.dy(a.broadcast(r)); })}};
}

/// -mean of the log-probabilities of the labels; dx = (probability - 1 at the label) dy / rows
template <class T>
Tensors cross_entropy(const Arithmetic<T>& a, const Tensors& in) {
  const Logits<T> l(a, in);
  const std::vector<T> labels = numbers_of<T>(get(in, "labels"));
  const auto label = [&](std::int64_t r) { return static_cast<std::int64_t>(labels[r]); };
  const auto log_probability = [&](std::int64_t r, std::int64_t i) {
    return a.between(l.log_probability(r, i));
  };
  const T divisor = a.divisor(l.rows());
  const T loss =
      a.parameter_sum(l.rows(), [&](std::int64_t r) { return log_probability(r, label(r)); });
  const T each = a.between(l.dy(0) / divisor);
  return {{"y", stored(a.storage(), Shape{}, [&](std::int64_t) { return -loss / divisor; })},
          {"d_x", l.gradient(
                      [&](std::int64_t r, std::int64_t i) {
                        const T p = a.exp(log_probability(r, i));
                        return (i == label(r) ? p - T(1) : p) * each;
                      },
                      nothing<T>)}};
}

}  // namespace gradproof::programs
