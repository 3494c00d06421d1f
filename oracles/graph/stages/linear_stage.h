// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// y = x weight^T + bias: x of any shape ending in K, weight (N, K), bias (N).
/// Adjoint: dx = dy weight, dweight = dy^T x, dbias = sum dy, over all rows of x.
template <class A>
class LinearStage {
 public:
  using T = typename A::Scalar;
  using Sum = typename A::Sum;

  explicit LinearStage(const StepContext<A>& context)
      : context_(context),
        width_(context.s.groups.length),
        rows_(context.s.groups.count),
        out_features_(width_ > 0 ? static_cast<std::int64_t>(context.in[1]->v.size()) / width_
                                 : 0) {}

  const PlanStep& step() const { return context_.s; }
  std::int64_t rows() const { return rows_; }

  Field<T> value() const {
    Field<T> y;
    y.owner = context_.in[0]->owner;
    y.v.reserve(place(rows_ * out_features_));
    for (std::int64_t row = 0; row < rows_; ++row)
      for (std::int64_t out = 0; out < out_features_; ++out) {
        Sum sum = context_.a.new_sum();
        for (std::int64_t k = 0; k < width_; ++k) sum.add(T(x(row, k) * weight(out, k)));
        if (!has_bias()) {
          y.v.push_back(sum.sum(chain(width_)));
          continue;
        }
        const T& bias = context_.in[2]->v[place(out)];
        const T product = sum.sum(chain(width_));
        sum.add(bias);
        y.v.push_back(over_forms<A>(
            context_.forms(FormPart::bias), [&] { return sum.sum(chain(width_ + 1)); },
            [&] { return context_.a.stored(product) + bias; }));
      }
    return y;
  }

  Field<T> input_gradient(const Field<T>& dy) const {
    Field<T> dx;
    dx.v.reserve(place(rows_ * width_));
    for (std::int64_t row = 0; row < rows_; ++row)
      for (std::int64_t k = 0; k < width_; ++k) {
        Sum sum = context_.a.new_sum();
        for (std::int64_t out = 0; out < out_features_; ++out)
          sum.add(T(dy.v[place(row * out_features_ + out)] * weight(out, k)));
        dx.v.push_back(sum.sum(context_.chain_of(SumRole::gradients, out_features_)));
      }
    return dx;
  }

  /// Each sum is begun as `none`.
  std::vector<Sum> weight_sums(const Field<T>& dy, const Sum& none) const {
    std::vector<Sum> sums(place(out_features_ * width_), none);
    for (std::int64_t row = 0; row < rows_; ++row)
      for (std::int64_t out = 0; out < out_features_; ++out) {
        const T& g = dy.v[place(row * out_features_ + out)];
        for (std::int64_t k = 0; k < width_; ++k)
          sums[place(out * width_ + k)].add(T(g * A::folded(x(row, k))));
      }
    return sums;
  }

  std::vector<Sum> bias_sums(const Field<T>& dy, const Sum& none) const {
    std::vector<Sum> sums(place(out_features_), none);
    for (std::size_t i = 0; i < dy.v.size(); ++i)
      sums[i % static_cast<std::size_t>(out_features_)].add(dy.v[i]);
    return sums;
  }

 private:
  std::int64_t chain(std::int64_t length) const {
    return context_.chain_of(SumRole::value, length);
  }
  bool has_bias() const { return context_.has(2); }
  const T& x(std::int64_t row, std::int64_t k) const {
    return context_.in[0]->v[place(row * width_ + k)];
  }
  const T& weight(std::int64_t out, std::int64_t k) const {
    return context_.in[1]->v[place(out * width_ + k)];
  }

  const StepContext<A>& context_;
  std::int64_t width_;  ///< K
  std::int64_t rows_;
  std::int64_t out_features_;  ///< N
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
