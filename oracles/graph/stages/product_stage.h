// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/graph/stages/reduction_stage.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// y = sum x w over the axes that are contracted, and + bias of a linear; x and w are joined by
/// name along all other axes. The adjoints are contractions too: dx = sum dy w over the axes that
/// only w has, dw = sum dy x over those that only x has, dbias = sum dy over all but its own.
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
    if (of < products.size()) return std::ssize(products[of].left_term);
    return std::ssize(products.front().left_of) / std::max<std::int64_t>(1, features());
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
      const T& bias = in(2)[place(i % features())];
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

  /// Each sum is begun as `none`.
  std::vector<Sum> weight_sums(const Field<T>& dy, const Sum& none) const {
    const SumsOfProducts& dw = context_.s.products[2];
    const FoldedField<A> x(*context_.in[0], kNobody);
    std::vector<Sum> sums;
    sums.reserve(dw.count());
    for (std::int64_t i = 0; i < std::ssize(dw.left_of); ++i)
      sums.push_back(sum_of(dw, i, dy.v, x.field().v, none));
    return sums;
  }

  std::vector<Sum> bias_sums(const Field<T>& dy, const Sum& none) const {
    std::vector<Sum> sums(place(features()), none);
    for (std::size_t i = 0; i < dy.v.size(); ++i) sums[i % sums.size()].add(dy.v[i]);
    return sums;
  }

 private:
  static Sum sum_of(const SumsOfProducts& of, std::int64_t i, const FieldNumbers<T>& left,
                    const FieldNumbers<T>& right, Sum sum) {
    const T* const l = left.data() + of.left_of[place(i)];
    const T* const r = right.data() + of.right_of[place(i)];
    for (std::size_t k = 0; k < of.terms(); ++k)
      sum.add(T(l[of.left_term[k]] * r[of.right_term[k]]));
    return sum;
  }

  std::int64_t chain(std::int64_t length) const {
    return context_.chain_of(SumRole::value, length);
  }
  const FieldNumbers<T>& in(std::size_t operand) const { return context_.in[operand]->v; }
  /// The count of a linear's results: its bias has one number for each, and y ends in them.
  std::int64_t features() const { return std::ssize(in(2)); }

  const StepContext<A>& context_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
