// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "oracles/audit/tableau.h"
#include "oracles/audit/unit_derivatives.h"

namespace gradproof {

/// What is moved: a tensor that has a gradient, or dy.
struct Moved {
  Differentiated tensor;
  bool cotangent = false;  ///< dy; `tensor` is then x, entry by entry beside it
};

/// One entry, two ways.
struct SecondOrderEntry {
  std::int64_t entry = 0;  ///< row-major in its tensor
  int log2_step = 0;       ///< taken, over the scale on which the value changes
  Real product{0};         ///< by dual numbers through the adjoint
  Real difference{0};      ///< of order 6, of the adjoint
  Real own{0};             ///< by how much that differs from the one at twice the step
  Real least{0};           ///< the rounding of the difference; below it both are 0
};

/// The adjoint of the adjoint in one unit. With random c on every first-order gradient g,
///
///   M(z, dy) = <c, g(z, dy)>,   z = x and all parameters,
///
/// dM/dz is taken twice. Forward over reverse: g at z + e c, e^2 = 0, has the derivative H c, H the
/// second derivatives of L = sum dy y; H is symmetric, so that (H c)_j = sum_i c_i dg_i/dz_j =
/// dM/dz_j. And by central differences of M. What is not symmetric is not the gradient of anything.
/// dM/d(dy) = J c likewise: the derivative of the value along c, by dual numbers through the value,
/// against differences of the adjoint.
template <template <class> class Arithmetic>
class SecondOrderUnit {
 public:
  SecondOrderUnit(const Script& script, const Claim& claim, const Tensors& inputs,
                  std::int64_t unit)
      : geometry_(claim),
        index_(unit),
        tensors_(differentiated(claim, script)),
        plain_(script, claim, inputs, unit),
        dual_(script, claim, inputs, unit) {
    for (const Differentiated& tensor : tensors_) {
      cotangents_.push_back(random_direction(tensor, geometry_, unit, kSeed));
      Values<Dual<Real>>& numbers = dual_.numbers_of(tensor.movable);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].d = cotangents_.back()[i];
    }
    value_ = &dual_.text().forward();
    dual_.text().backward();
    moment();
    const Real rstd = rstd_of<Real>(script, plain_.text());
    if (isfinite(rstd) && rstd > 1) log2_width_ = -std::ilogb(rstd.template convert_to<double>());
    ReadUnit<Arithmetic, Coarse> coarse(script, claim, inputs, unit);
    coarse.text().forward();
    coarse.text().backward();
    for (std::size_t k = 0; k < tensors_.size(); ++k)
      least_ += apart(plain_.gradient(tensors_[k]), coarse.gradient(tensors_[k]), cotangents_[k]);
    least_ = rounding(least_);
  }

  /// The step, of a few, at which the differences of an entry agree with themselves best.
  int best_step(const Moved& moved, const std::vector<std::int64_t>& places) {
    constexpr std::array<int, 5> kSteps{-22, -16, -28, -34, -10};
    const std::vector<std::int64_t> one(places.begin(), places.begin() + 1);
    int best = kSteps[0];
    std::optional<Real> least;
    for (const int step : kSteps) {
      Real own(0);
      Real size(0);
      for (const SecondOrderEntry& e : entries(moved, one, step)) {
        own = std::max(own, e.own);
        size = std::max({size, e.least, Real(abs(e.difference))});
      }
      if (!least || own < *least) best = step;
      least = least ? std::min(*least, own) : own;
      if (own <= size * kEnough) break;
    }
    return best;
  }

  std::vector<SecondOrderEntry> entries(const Moved& moved, const std::vector<std::int64_t>& places,
                                        int log2_step) {
    const bool input = moved.tensor.movable.input && !moved.cotangent;
    const int exponent = log2_step + (input ? log2_width_ : 0);
    Values<Real>& numbers =
        moved.cotangent ? plain_.unit().dy : plain_.numbers_of(moved.tensor.movable);
    const Values<Real> products = this->products(moved);
    std::vector<SecondOrderEntry> result;
    for (const std::int64_t place : places) {
      const auto at = static_cast<std::size_t>(place);
      const auto odd = differences(numbers[at], ldexp(Real(1), exponent));
      SecondOrderEntry entry{entry_of(moved.tensor, geometry_, index_, place), log2_step};
      entry.product = products[at];
      entry.difference = central(odd.data(), kOrders - 1, exponent);
      entry.own = abs(entry.difference - central(odd.data() + 1, kOrders - 1, exponent + 1));
      // A number so large that the step is lost in it; never so much that all counts as 0.
      const Real lost = ldexp(abs(numbers[at]), 20 - exponent) * kRealUnit;
      entry.least = ldexp(least_, -exponent) + abs(entry.product) * std::min(lost, Real(0.5));
      result.push_back(entry);
    }
    return result;
  }

 private:
  static constexpr std::uint64_t kSeed = 101;
  /// Three digits more than the audit certifies.
  static constexpr double kEnough = 1e-23;

  /// H c by place, or J c.
  Values<Real> products(const Moved& moved) const {
    Values<Real> result;
    for (const Dual<Real>& number : moved.cotangent ? *value_ : dual_.gradient(moved.tensor))
      result.push_back(number.d);
    return result;
  }

  /// M as the unit stands.
  Real moment() {
    plain_.text().forward();
    plain_.text().backward();
    Real sum(0);
    for (std::size_t k = 0; k < tensors_.size(); ++k) {
      const Values<Real> gradient = plain_.gradient(tensors_[k]);
      sum = std::inner_product(gradient.begin(), gradient.end(), cotangents_[k].begin(), sum);
    }
    return sum;
  }

  /// M(+h) - M(-h), and the same at 2h, 4h and 8h: for order 6 at h and at 2h.
  std::array<Real, kOrders + 1> differences(Real& number, const Real& step) {
    const Real start = number;
    std::array<Real, kOrders + 1> odd;
    for (std::size_t k = 0; k < odd.size(); ++k) {
      const Real move = ldexp(step, static_cast<int>(k));
      number = start + move;
      const Real above = moment();
      number = start - move;
      odd[k] = above - moment();
    }
    number = start;
    return odd;
  }

  Geometry geometry_;
  std::int64_t index_;
  std::vector<Differentiated> tensors_;
  ReadUnit<Arithmetic, Real> plain_;
  ReadUnit<Arithmetic, Dual<Real>> dual_;
  std::vector<Values<Real>> cotangents_;
  const Values<Dual<Real>>* value_ = nullptr;
  Real least_{0};
  int log2_width_ = 0;
};

}  // namespace gradproof
