// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// y = sum x w over the axes that are contracted, or over channels and windows, + bias where there
/// is one. The adjoints are sums of products too: dx = sum dy w, dw = sum dy x, over the axes that
/// dx or dw has not (a convolution's: oracles/graph/plan/convolution.h); dbias = sum dy over all
/// axes but its own.
template <class A>
class ProductStage {
 public:
  using T = typename A::Scalar;
  using Sum = typename A::Sum;

  explicit ProductStage(const StepContext<A>& context) : context_(context) {}

  const PlanStep& step() const { return context_.s; }
  /// The terms of each sum of the value (0), of the gradient of x (1), of w (2) and of bias (3).
  std::int64_t terms(std::size_t of) const {
    const auto& products = context_.s.products;
    if (of < products.size()) return products[of].length;
    return std::ssize(products.front().left_of) / std::max<std::int64_t>(1, std::ssize(in(2)));
  }

  Field<T> value() const {
    const SumsOfProducts& y = context_.s.products[0];
    const std::int64_t length = chain(terms(0));
    const std::int64_t with_bias = chain(terms(0) + 1);
    const FormSet forms = context_.forms(FormPart::bias);
    Field<T> value;
    value.owner = owner_of(context_);
    value.v = numbers_by<T>(std::ssize(y.left_of), [&](std::int64_t i) {
      Sum sum = sum_of(y, i, in(0), in(1), context_.a.new_sum());
      if (!context_.has(2)) return sum.sum(length);
      const T& bias = in(2)[place(context_.s.bias_of[place(i)])];
      const T product = sum.sum(length);
      sum.add(bias);
      return over_forms<A>(
          forms, [&] { return sum.sum(with_bias); },
          [&] { return context_.a.stored(product) + bias; });
    });
    return value;
  }

  /// `dy` shares no errors.
  Field<T> input_gradient(const Field<T>& dy) const {
    const SumsOfProducts& dx = context_.s.products[1];
    const FoldedField<A> weight(*context_.in[1], kNobody);
    const std::int64_t length = context_.chain_of(SumRole::gradients, terms(1));
    Field<T> gradient;
    gradient.v = numbers_by<T>(std::ssize(dx.left_of), [&](std::int64_t i) {
      return sum_of(dx, i, dy.v, weight.field().v, context_.a.new_sum()).sum(length);
    });
    return gradient;
  }

  /// The sums that the gradient of an operand consists of, each begun as `none`.
  std::vector<Sum> sums(std::size_t operand, const Field<T>& dy, const Sum& none) const {
    if (operand == 2) return bias_sums(dy, none);
    const SumsOfProducts& gradient = context_.s.products[operand + 1];
    const FoldedField<A> other(*context_.in[1 - operand], kNobody);
    std::vector<Sum> all;
    all.reserve(gradient.count());
    for (std::int64_t i = 0; i < std::ssize(gradient.left_of); ++i)
      all.push_back(sum_of(gradient, i, dy.v, other.field().v, none));
    return all;
  }

 private:
  std::vector<Sum> bias_sums(const Field<T>& dy, const Sum& none) const {
    std::vector<Sum> sums(in(2).size(), none);
    for (std::size_t i = 0; i < dy.v.size(); ++i) sums[place(context_.s.bias_of[i])].add(dy.v[i]);
    return sums;
  }

  static Sum sum_of(const SumsOfProducts& of, std::int64_t i, const FieldNumbers<T>& left,
                    const FieldNumbers<T>& right, Sum sum) {
    of.each_term(place(i), [&](std::size_t l, std::size_t r) { sum.add(T(left[l] * right[r])); });
    return sum;
  }

  std::int64_t chain(std::int64_t length) const {
    return context_.chain_of(SumRole::value, length);
  }
  const FieldNumbers<T>& in(std::size_t operand) const { return context_.in[operand]->v; }

  const StepContext<A>& context_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
