// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include "core/tensor/philox.h"
#include "oracles/functions/function_in.h"

namespace gradproof {

/// A number by which M is differentiated: one of an input, or of dy.
struct SecondOrderNumber {
  std::size_t input = 0;
  std::size_t place = 0;
  bool cotangent = false;  ///< it is the number of dy at `place`
};

/// dM by one number, computed in two ways.
struct SecondOrderEntry {
  std::int64_t entry = 0;  ///< the number's, in its whole tensor
  bool known = false;      ///< both are finite, and no comparison changes by the moves or along c
  Real product{0};         ///< by dual numbers through the adjoint, or through the value
  Real difference{0};      ///< (M(+h) - M(-h)) / 2h
  Real self_error{0};      ///< |D(h) - D(2h)|, where the two are apart
  Real floor{0};           ///< what is below counts as 0
};

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The adjoint of the adjoint of a functor that has a gradient. With random c on every first-order
/// gradient g,
///
///   M(z, dy) = <c, g(z, dy)>,   z: all inputs,
///
/// dM/dz is computed twice. Forward over reverse: g at z + e c, e^2 = 0, has the derivative H c, H
/// the second derivatives of L = sum dy y; H is symmetric, so that (H c)_j = sum_i c_i dg_i/dz_j =
/// dM/dz_j. And by central differences of M in 400 digits. If H is not symmetric, g is not the
/// gradient of a function. dM/d(dy) = J c likewise: the derivative of the value along c, by dual
/// numbers, against differences of the adjoint.
template <class F>
class SecondOrder {
 public:
  /// Functor and facts, of which inputs, widths and dy are asked, must outlive it.
  SecondOrder(const F& function, const FunctionFacts& facts, std::uint64_t seed)
      : function_(function), facts_(facts), dy_(facts.dy.begin(), facts.dy.end()) {
    Arrays<Traced<Dual>> along;
    for (std::size_t k = 0; k < facts.inputs.size(); ++k) {
      const std::vector<double>& numbers = facts.inputs[k].numbers;
      std::vector<double>& c = c_.emplace_back(numbers.size());
      Stream(seed, facts.inputs[k].name).normals(0, c.size(), c.data());
      in_.emplace_back(numbers.begin(), numbers.end());
      std::vector<Traced<Dual>>& moving = along.emplace_back();
      for (std::size_t i = 0; i < c.size(); ++i)
        moving.push_back(Traced<Dual>(Dual(Digits400(numbers[i]), c[i])));
    }
    value_ = function.value(along);
    gradient_ = function.gradient(along, {facts.dy.begin(), facts.dy.end()});
    at_rest_ = adjoint();
    smooth_ = is_smooth_along(1) && is_smooth_along(-1);
    least_terms_ = terms_without_cancellation(seed);
  }

  SecondOrderEntry entry(const SecondOrderNumber& of) {
    SecondOrderEntry entry;
    const Dual& product =
        of.cotangent ? value_[of.place].value() : gradient_[of.input][of.place].value();
    const int log2_h =
        kLog2Step + (of.cotangent ? 0 : std::min(0, facts_.widths[of.input].own[of.place]));
    const Difference fine = difference(of, log2_h);
    entry.product = Real(product.sum);
    entry.difference = fine.value;
    entry.floor = std::max(Real(ldexp(Real(product.paths), kLog2Nothing)),
                           Real(ldexp(std::max(fine.terms, least_terms_), kLog2Lost - log2_h)));
    entry.known = smooth_ && fine.smooth && isfinite(entry.product) && isfinite(entry.difference);
    const Real apart = abs(Real(entry.product - entry.difference));
    if (!entry.known || apart <= ldexp(Real(abs(entry.product)), kLog2Nothing)) return entry;
    const Difference coarse = difference(of, log2_h + 1);
    entry.self_error = abs(Real(fine.value - coarse.value));
    entry.known = coarse.smooth && isfinite(entry.self_error);
    return entry;
  }

  /// log2 of the step over a number's width, or over 1 where that is less, for large numbers say
  /// nothing of the width over which a norm changes with them: truncation h^2 is 2^-400, and
  /// rounding 2^-1128 of M's terms.
  static constexpr int kLog2Step = -200;

 private:
  using Dual = PathDualOf<Digits400>;
  using T = Traced<Digits400>;
  /// log2 of the part of the product's terms that counts as 0, 10^-30: less 6 digits for a million
  /// roundings and 14 for what cancels inside, as FunctionFacts::floor has it.
  static constexpr int kLog2Nothing = -100;
  /// log2 of the part of M's terms that no difference of M shows: a rounding, 2^-1328 of them,
  /// 2^128 times.
  static constexpr int kLog2Lost = -1200;

  struct Adjoint {
    Arrays<T> gradient;
    std::vector<char> outcomes;
  };
  Adjoint adjoint() const {
    BranchTrace trace;
    Adjoint result;
    result.gradient = trace.record([&] { return function_.gradient(in_, dy_); });
    result.outcomes = std::move(trace.outcomes);
    return result;
  }

  /// True if no comparison changes with all inputs moved a little along c: at a kink, dual numbers
  /// may take another side than the adjoint does.
  bool is_smooth_along(int sign) {
    const Arrays<T> given = in_;
    for (std::size_t k = 0; k < c_.size(); ++k)
      for (std::size_t i = 0; i < c_[k].size(); ++i) {
        const int log2_h = kLog2Step + std::min(0, facts_.widths[k].own[i]);
        in_[k][i] += T(ldexp(Digits400(sign * c_[k][i]), log2_h));
      }
    const bool same = adjoint().outcomes == at_rest_.outcomes;
    in_ = given;
    return same;
  }

  /// The sizes of M's terms for a random dy of the same sizes. For the given dy a gradient may be 0
  /// for every z (dy of ones behind a norm), and its terms are then only the rounding of these.
  Real terms_without_cancellation(std::uint64_t seed) {
    const std::vector<T> given = dy_;
    const Stream random(seed, "dy");
    for (std::size_t i = 0; i < dy_.size(); ++i) dy_[i] = dy_[i] * T(random.normal(i));
    const Adjoint other = adjoint();
    dy_ = given;
    Digits400 terms(0);
    for (std::size_t k = 0; k < c_.size(); ++k)
      for (std::size_t i = 0; i < c_[k].size(); ++i)
        terms += abs(Digits400(c_[k][i] * other.gradient[k][i].value()));
    return Real(terms);
  }

  struct Difference {
    Real value{0};
    Real terms{0};  ///< the sum of the sizes of M's terms
    bool smooth = true;
  };
  Difference difference(const SecondOrderNumber& of, int log2_h) {
    T& number = of.cotangent ? dy_[of.place] : in_[of.input][of.place];
    const T start = number;
    const Digits400 h = ldexp(Digits400(1), log2_h);
    Digits400 sum(0);
    Digits400 terms(0);
    Difference result;
    for (const int sign : {1, -1}) {
      number = T(Digits400(start.value() + sign * h));
      const Adjoint moved = adjoint();
      result.smooth = result.smooth && moved.outcomes == at_rest_.outcomes;
      for (std::size_t k = 0; k < c_.size(); ++k)
        for (std::size_t i = 0; i < c_[k].size(); ++i) {
          const Digits400 term = c_[k][i] * moved.gradient[k][i].value();
          sum += sign * term;
          terms += abs(term);
        }
    }
    number = start;
    result.value = Real(ldexp(sum, -1 - log2_h));
    result.terms = Real(terms);
    return result;
  }

  const F& function_;
  const FunctionFacts& facts_;
  std::vector<std::vector<double>> c_;  ///< by input
  Arrays<T> in_;
  std::vector<T> dy_;
  std::vector<Traced<Dual>> value_;  ///< J c
  Arrays<Traced<Dual>> gradient_;    ///< H c
  Adjoint at_rest_;
  bool smooth_ = true;
  Real least_terms_{0};
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT

/// The witness "second order" of one tensor, or that of dy, from its entries; `of` is how many the
/// tensor has.
AuditWitness second_order_witness(Witness name, const std::vector<SecondOrderEntry>& entries,
                                  std::int64_t of);

}  // namespace gradproof
