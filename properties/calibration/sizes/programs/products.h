// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "properties/calibration/sizes/programs/arithmetic.h"
#include "properties/calibration/sizes/programs/softmaxes.h"

namespace gradproof::programs {

/// A matrix of numbers that products read.
template <class T>
class Matrix {
 public:
  explicit Matrix(const Tensor& tensor)
      : cols_(tensor.shape().at(1)), numbers_(numbers_of<T>(tensor)) {}
  Matrix(std::int64_t rows, std::int64_t cols)
      : cols_(cols), numbers_(static_cast<std::size_t>(rows * cols)) {}

  T at(std::int64_t row, std::int64_t col) const { return numbers_[row * cols_ + col]; }
  void set(std::int64_t row, std::int64_t col, T number) { numbers_[row * cols_ + col] = number; }

 private:
  std::int64_t cols_;
  std::vector<T> numbers_;
};

/// A tensor of two axes by its row and column.
template <class Number>
Tensor stored_matrix(DType dtype, std::int64_t rows, std::int64_t cols, const Number& number) {
  return stored(dtype, Shape{rows, cols},
                [&](std::int64_t i) { return number(i / cols, i % cols); });
}

/// x weight^T + bias, the gradients of all three. The long one of rows and columns is tried: faults
/// are in the product along it alone, because the others are so short that all rules see them.
template <class T>
Tensors linear(const Arithmetic<T>& a, const Tensors& in) {
  const Matrix<T> x(get(in, "x")), w(get(in, "weight")), dy(get(in, "dy"));
  const std::vector<T> bias = numbers_of<T>(get(in, "bias"));
  const Shape& shape = get(in, "x").shape();
  const std::int64_t rows = shape[0], cols = shape[1], out = get(in, "bias").numel();
  // Term k of a sum of products is one of left(k) and right(k).
  const auto sum = [&](std::int64_t count, const auto& left, const auto& right) {
    if (count < std::max(rows, cols))
      return a.sum(count, [&](std::int64_t k) { return left(k) * right(k); });
    return a.long_sum(count, [&](std::int64_t k) { return a.product(left(k), right(k)); });
  };
  using I = std::int64_t;
  return {{"y", stored_matrix(a.storage(), rows, out,
                              [&](I r, I o) {
                                return sum(
                                           cols, [&](I k) { return x.at(r, k); },
                                           [&](I k) { return w.at(o, k); }) +
                                       bias[o];
                              })},
          {"d_x", stored_matrix(a.storage(), rows, cols,
                                [&](I r, I k) {
                                  return sum(
                                      out, [&](I o) { return dy.at(r, o); },
                                      [&](I o) { return w.at(o, a.broadcast(k)); });
                                })},
          {"d_weight", stored_matrix(a.storage(), out, cols,
                                     [&](I o, I k) {
                                       return sum(
                                           rows, [&](I r) { return dy.at(r, o); },
                                           [&](I r) { return x.at(r, k); });
                                     })},
          {"d_bias", stored(a.storage(), Shape{out},
                            [&](I o) { return a.sum(rows, [&](I r) { return dy.at(r, o); }); })}};
}

/// softmax(q k^T / 2) v of four features: y[m,e] = sum over n of p[m,n] v[e,n].
template <class T>
class Attention {
 public:
  Attention(const Arithmetic<T>& a, const Tensors& in)
      : a_(a),
        q_(get(in, "q")),
        k_(get(in, "k")),
        v_(get(in, "v")),
        dy_(get(in, "dy")),
        queries_(get(in, "q").shape()[0]),
        keys_(get(in, "k").shape()[0]),
        features_(get(in, "q").shape()[1]),
        values_(get(in, "v").shape()[0]),
        t_(queries_, keys_),
        p_(queries_, keys_),
        ds_(queries_, keys_) {
    weigh();
    for (I m = 0; m < queries_; ++m) go_back(m);
  }

  Tensors tensors() const {
    const DType type = a_.storage();
    return {{"y", stored_matrix(type, queries_, values_,
                                [&](I m, I e) {
                                  return a_.sum(keys_, [&](I n) {
                                    return a_.product(a_.probability(p_.at(m, n)), v_.at(e, n));
                                  });
                                })},
            {"d_q", stored_matrix(type, queries_, features_,
                                  [&](I m, I d) {
                                    return a_.sum(keys_, [&](I n) {
                                      return a_.product(ds_.at(m, n), k_.at(n, d));
                                    });
                                  })},
            {"d_k", stored_matrix(type, keys_, features_,
                                  [&](I n, I d) {
                                    return a_.sum(queries_,
                                                  [&](I m) { return ds_.at(m, n) * q_.at(m, d); });
                                  })},
            {"d_v", stored_matrix(type, values_, keys_, [&](I e, I n) {
               return a_.sum(queries_, [&](I m) { return dy_.at(m, e) * p_.at(m, n); });
             })}};
  }

 private:
  using I = std::int64_t;

  void weigh() {
    std::vector<RowExponentials<T>> rows;
    for (I m = 0; m < queries_; ++m) {
      for (I n = 0; n < keys_; ++n) {
        const T s = a_.between(a_.sum(features_, [&](I d) { return q_.at(m, d) * k_.at(n, d); }));
        t_.set(m, n, a_.between(s * T(0.5)));
      }
      rows.push_back(exponentials_of(a_, keys_, [&](I n) { return t_.at(m, n); }));
    }
    for (I m = 0; m < queries_; ++m) {
      const RowExponentials<T>& row = rows[a_.statistics_of(m, queries_)];
      for (I n = 0; n < keys_; ++n)
        p_.set(m, n, a_.between(a_.quotient(a_.exp(t_.at(m, n) - row.maximum), row.sum)));
    }
  }

  /// Back through the second product, the softmax and the factor.
  void go_back(I m) {
    const auto dp = [&](I n) {
      return a_.between(
          a_.sum(values_, [&](I e) { return dy_.at(a_.broadcast(m), e) * v_.at(e, n); }));
    };
    const T along = a_.has(Fault::projection_term)
                        ? T(0)
                        : a_.sum(keys_, [&](I n) { return dp(n) * p_.at(m, n); });
    for (I n = 0; n < keys_; ++n) {
      const T dt = a_.between(p_.at(m, n) * (dp(n) - along));
      ds_.set(m, n, a_.between(dt * T(0.5)));
    }
  }

  const Arithmetic<T>& a_;
  const Matrix<T> q_, k_, v_, dy_;
  const I queries_, keys_, features_, values_;
  Matrix<T> t_, p_, ds_;
};

template <class T>
Tensors attention(const Arithmetic<T>& a, const Tensors& in) {
  return Attention<T>(a, in).tensors();
}

}  // namespace gradproof::programs
