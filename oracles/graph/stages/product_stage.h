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

  /// The settings of these sums.
  SumSettings settings(std::size_t of) const {
    if (of >= context_.s.products.size()) return {};
    return with_cuts({context_.a.share_of_range(stage(), part_of(of)), of_factors()});
  }

  Field<T> value() const {
    const Products products(*this, 0, in(0), in(1));
    const std::int64_t length = chain(terms(0));
    const std::int64_t with_bias = chain(terms(0) + 1);
    const SumSettings settings = this->settings(0);
    const FormSet forms = context_.forms(FormPart::bias);
    Field<T> value;
    value.owner = owner_of(context_);
    value.v = numbers_by<T>(products.count(), [&](std::int64_t i) {
      Sum sum = products.sum(i, context_.a.new_sum());
      if (!context_.has(2)) return sum.sum(length, settings);
      const T& bias = in(2)[place(context_.s.bias_of[place(i)])];
      const T product = sum.sum(length, settings);
      sum.add(bias);
      return over_forms<A>(
          forms, [&] { return sum.sum(with_bias, settings); },
          [&] { return context_.a.stored(product) + bias; });
    });
    return value;
  }

  /// The sums that the gradient of an operand consists of, each begun as `none`; `dy` shares no
  /// errors.
  std::vector<Sum> sums(std::size_t operand, const Field<T>& dy, const Sum& none) const {
    if (operand == 2) return bias_sums(dy, none);
    const FoldedField<A> other(*context_.in[1 - operand], kNobody);
    const Products products(*this, operand + 1, dy.v, other.field().v);
    std::vector<Sum> all;
    all.reserve(place(products.count()));
    for (std::int64_t i = 0; i < products.count(); ++i) all.push_back(products.sum(i, none));
    return all;
  }

 private:
  std::vector<Sum> bias_sums(const Field<T>& dy, const Sum& none) const {
    std::vector<Sum> sums(in(2).size(), none);
    for (std::size_t i = 0; i < dy.v.size(); ++i) sums[place(context_.s.bias_of[i])].add(dy.v[i]);
    return sums;
  }

  /// The sums of products of two factors' numbers. A zero of a layout is no term; where the other
  /// factor is no finite number, code that multiplies them gets a NaN.
  class Products {
   public:
    Products(const ProductStage& stage, std::size_t which, const FieldNumbers<T>& left,
             const FieldNumbers<T>& right)
        : a_(stage.context_.a),
          stage_(stage.stage()),
          of_(stage.context_.s.products[which]),
          part_(stage.part_of(which)),
          left_(left),
          right_(right),
          is_exact_(!is_in_storage() && take_exact(left, exact_left_) &&
                    take_exact(right, exact_right_)) {}

    std::int64_t count() const { return std::ssize(of_.left_of); }
    Sum sum(std::int64_t i, Sum sum) const {
      of_.each_term(
          place(i), [&](std::size_t l, std::size_t r) { add(sum, l, r); },
          [&](std::int32_t l, std::int32_t r) {
            if constexpr (A::kErrors) {
              if (l >= 0 || r >= 0) add_zero(sum, l < 0 ? right_[place(r)] : left_[place(l)]);
            }
          });
      return sum;
    }

   private:
    using Number = EstimateOf<T>;
    static constexpr bool kHasExact = requires(Sum sum, Number number) {
      sum.add_exact_product(number, number);
    };

    static const Number& estimate_of(const T& number) {
      if constexpr (A::kErrors)
        return number.v;
      else
        return number.hi;
    }
    static bool is_exact(const T& n) {
      if constexpr (A::kErrors)
        return all(MaskOf<T>(n.total() == Number(0)) & MaskOf<T>(!(n.vacuous | n.overflow)) &
                   is_finite(n.v));
      else
        return all(MaskOf<T>(n.lo == Number(0)) & MaskOf<T>(n.radius == Number(0)));
    }

    /// Takes numbers without errors by themselves, in a fraction of the memory. False where one has
    /// an error.
    static bool take_exact(const FieldNumbers<T>& numbers, FieldNumbers<Number>& into) {
      if constexpr (kHasExact) {
        if (!std::all_of(numbers.begin(), numbers.end(), is_exact)) return false;
        into = numbers_by<Number>(std::ssize(numbers),
                                  [&](std::int64_t i) { return estimate_of(numbers[place(i)]); });
        return true;
      }
      return false;
    }
    bool is_in_storage() const {
      return of_.stored_sums > 0 && a_.stores_values() && a_.keeps(stage_, part_);
    }

    [[gnu::always_inline]] void add(Sum& sum, std::size_t left, std::size_t right) const {
      if constexpr (kHasExact)
        if (is_exact_ && sum.add_exact_product(exact_left_[left], exact_right_[right])) [[likely]]
          return;
      T product(left_[left] * right_[right]);
      if constexpr (A::kErrors)
        if (is_in_storage()) product = a_.in_stored_sum(product, stage_, part_, of_.stored_sums);
      sum.add(product);
    }
    void add_zero(Sum& sum, const T& other) const {
      if (all(MaskOf<T>(is_finite(other.v)))) [[likely]]
        return;
      T open(0);
      open_class_where(MaskOf<T>(!is_finite(other.v)), open);
      sum.add(open);
    }

    const A& a_;
    const std::string& stage_;
    const SumsOfProducts& of_;
    StoredPart part_;
    const FieldNumbers<T>& left_;
    const FieldNumbers<T>& right_;
    FieldNumbers<Number> exact_left_, exact_right_;
    bool is_exact_;
  };

  const std::string& stage() const { return context_.s.step->stage; }
  /// The part of these sums that LibTorch's convolution keeps in 16 bits: the wide value tap by
  /// tap, the gradient of the weight sample by sample.
  StoredPart part_of(std::size_t which) const {
    return which == 2 ? StoredPart::parameter_sums : StoredPart::overlapping_sums;
  }
  /// SumSettings::of_factors: the largest of the forms that the contract permits. Two bfloat16
  /// numbers have all but 2^-16 of a number, and the product that is left out is as small: three
  /// errors of that size with a variance of 2^-32 in all at most.
  double of_factors() const {
    const FormSet permitted = context_.forms(FormPart::inputs);
    const auto has = [&](ProductInputs form) { return permitted.has(static_cast<int>(form)); };
    if (has(ProductInputs::bf16)) return 0x1p-8;
    if (has(ProductInputs::tf32)) return 0x1p-11;
    return has(ProductInputs::bf16x3) ? 1.25 * 0x1p-16 : 0;
  }

  /// The settings with what the largest of the forms that the contract permits cuts off.
  SumSettings with_cuts(SumSettings settings) const {
    const FormSet permitted = context_.forms(FormPart::accumulate);
    const auto has = [&](ProductSums form) { return permitted.has(static_cast<int>(form)); };
    if (!has(ProductSums::fp22) && !has(ProductSums::promoted_fp22)) return settings;
    settings.cut_off = 0x1p-13;
    settings.promoted = has(ProductSums::fp22) ? 0 : 128;
    return settings;
  }

  std::int64_t chain(std::int64_t length) const {
    return context_.chain_of(SumRole::value, length);
  }
  const FieldNumbers<T>& in(std::size_t operand) const { return context_.in[operand]->v; }

  const StepContext<A>& context_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
