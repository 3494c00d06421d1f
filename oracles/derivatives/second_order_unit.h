// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "oracles/derivatives/read_unit.h"
#include "oracles/differences/steps/step_rules.h"

namespace gradproof {

/// The tensor whose entries are moved, by position in the target: one that has a gradient, or dy.
struct Moved {
  std::size_t tensor = 0;
  bool cotangent = false;  ///< dy is moved; `tensor` is then x, whose entries dy matches
};

/// log2 of the step of order 2 in triple-doubles, over the scale on which the value changes:
/// truncation h^2 is 2^-102 and rounding 2^-156 / h 2^-105, 30 digits. 400 digits take the step of
/// all differences in them, step_rules::kLastChoice: 2^-400 and 2^-1128.
inline constexpr int kTripleStep = -51;

/// One entry computed in two ways; absolute. In triple-doubles the last two are 0: there nothing
/// but agreement counts.
struct SecondOrderEntry {
  std::int64_t entry = 0;  ///< row-major in its tensor
  int log2_step = 0;       ///< of h, over the scale on which the value changes
  Real product{0};         ///< by dual numbers through the adjoint
  Real difference{0};      ///< D(h), a difference of the adjoint
  Real self_error{0};      ///< |D(h) - D(2h)|
  Real resolution{0};      ///< what is below cannot be seen in differences
};

/// The adjoint of the adjoint in one unit. With random c on every first-order gradient g,
///
///   M(z, dy) = <c, g(z, dy)>,   z = x and all parameters,
///
/// dM/dz is computed twice. Forward over reverse: g at z + e c, e^2 = 0, has the derivative H c, H
/// the second derivatives of L = sum dy y; H is symmetric, so that (H c)_j = sum_i c_i dg_i/dz_j =
/// dM/dz_j. And by central differences of M. If H is not symmetric, g is not the gradient of a
/// function. dM/d(dy) = J c likewise: the derivative of the value along c, by dual numbers through
/// the value, against differences of the adjoint. N is TripleDouble or Digits400.
template <template <class> class Arithmetic, class N>
class SecondOrderUnit {
 public:
  SecondOrderUnit(const PipelineTarget& target, std::int64_t unit)
      : target_(target), index_(unit), plain_(target, unit) {
    ReadUnit<Arithmetic, Dual<N>> dual(target, unit);
    for (std::size_t t = 0; t < target.tensors().size(); ++t) {
      cotangents_.push_back(random_direction(target, t, unit, kSeed));
      dual.move_along(t, cotangents_[t]);
    }
    const auto derivatives = [](const Values<Dual<N>>& numbers) {
      Values<N> result;
      for (const Dual<N>& number : numbers) result.push_back(number.d);
      return result;
    };
    value_product_ = derivatives(dual.value());
    for (const Values<Dual<N>>& gradient : dual.adjoint())
      products_.push_back(derivatives(gradient));
    plain_.value();
    log2_width_ = std::min(0, plain_.log2_norm_width());
    if (kLast) least_terms_ = terms_without_cancellation();
  }

  SecondOrderEntry entry(const Moved& moved, std::int64_t place) {
    const int log2_step = kLast ? step_rules::kLastChoice.log2_step : kTripleStep;
    const int log2_h = log2_step + log2_width_;
    const auto at = static_cast<std::size_t>(place);
    SecondOrderEntry entry{entry_at(target_, moved.tensor, index_, place), log2_step};
    entry.product = real_of((moved.cotangent ? value_product_ : products_[moved.tensor])[at]);
    entry.difference = difference(moved, at, log2_h);
    if (!kLast) return entry;
    entry.resolution = ldexp(std::max(terms_, least_terms_), kLog2Resolution - log2_h);
    entry.self_error = abs(entry.difference - difference(moved, at, log2_h + 1));
    return entry;
  }

 private:
  static constexpr bool kLast = std::is_same_v<N, Digits400>;
  static constexpr std::uint64_t kSeed = 101;
  /// log2 of the part of M's terms that no difference of M in 400 digits shows: a rounding, 2^-1328
  /// of them, 2^128 times, for the roundings of a unit and for what cancels inside it.
  static constexpr int kLog2Resolution = -1200;

  /// The sizes of M's terms for a random dy of the same sizes. For the given dy a gradient may
  /// be 0 for every z (dy of ones behind a norm), and its terms are then only the rounding of
  /// these.
  Real terms_without_cancellation() {
    Values<N>& dy = plain_.dy();
    const Values<N> given = dy;
    const Stream random(kSeed, "dy");
    for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = dy[i] * N(random.normal(i));
    plain_.value();
    Real terms(0);
    const std::vector<Values<N>> gradients = plain_.adjoint();
    for (std::size_t k = 0; k < gradients.size(); ++k)
      for (std::size_t i = 0; i < gradients[k].size(); ++i)
        terms += abs(real_of(N(gradients[k][i] * N(cotangents_[k][i]))));
    dy = given;
    return terms;
  }

  /// (M(+h) - M(-h)) / 2h, h = 2^log2_h, term by term. Leaves the sum of the terms' sizes.
  Real difference(const Moved& moved, std::size_t place, int log2_h) {
    N& number = (moved.cotangent ? plain_.dy() : plain_.numbers_of(moved.tensor))[place];
    const N start = number;
    const N step(std::ldexp(1, log2_h));
    const auto gradients_at = [&](const N& value) {
      number = value;
      plain_.value();
      return plain_.adjoint();
    };
    const std::vector<Values<N>> above = gradients_at(start + step);
    const std::vector<Values<N>> below = gradients_at(start - step);
    number = start;
    N sum(0);
    N terms(0);
    for (std::size_t k = 0; k < above.size(); ++k)
      for (std::size_t i = 0; i < above[k].size(); ++i) {
        const N c(cotangents_[k][i]);
        sum += (above[k][i] - below[k][i]) * c;
        terms += absolute(N(above[k][i] * c));
      }
    terms_ = real_of(terms);
    return ldexp(real_of(sum), -1 - log2_h);
  }

  const PipelineTarget& target_;
  std::int64_t index_;
  std::vector<Values<double>> cotangents_;  ///< c, by tensor
  std::vector<Values<N>> products_;         ///< H c, by tensor
  Values<N> value_product_;                 ///< J c
  ReadUnit<Arithmetic, N> plain_;
  Real terms_{0};        ///< of the last difference
  Real least_terms_{0};  ///< terms_without_cancellation(), in 400 digits
  /// log2 of the norm's 1/rstd, the width over which numbers before the norm change the value,
  /// where that is below 1. Behind the norm, and for dy, a smaller step is as good.
  int log2_width_ = 0;
};

}  // namespace gradproof
