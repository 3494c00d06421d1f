// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <map>
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

/// Entries of one tensor.
struct SecondOrderReading {
  std::vector<SecondOrderEntry> entries;
  bool within_range = true;  ///< of double, the units they lie in; not asked in Real
};

/// The steps that are tried in an arithmetic, the likeliest first: the error of order 6 meets the
/// rounding at about unit^(1/7).
template <class T>
inline constexpr std::array<int, 5> kSecondOrderSteps{-22, -16, -28, -34, -10};
template <>
inline constexpr std::array<int, 5> kSecondOrderSteps<Rough>{-14, -11, -17, -20, -8};

/// The adjoint of the adjoint in one unit. With random c on every first-order gradient g,
///
///   M(z, dy) = <c, g(z, dy)>,   z = x and all parameters,
///
/// dM/dz is taken twice. Forward over reverse: g at z + e c, e^2 = 0, has the derivative H c, H the
/// second derivatives of L = sum dy y; H is symmetric, so that (H c)_j = sum_i c_i dg_i/dz_j =
/// dM/dz_j. And by central differences of M. What is not symmetric is not the gradient of anything.
/// dM/d(dy) = J c likewise: the derivative of the value along c, by dual numbers through the value,
/// against differences of the adjoint.
///
/// T is Real, or Rough: nobody measures the rounding of that, `least` is then 0 and two ways that
/// agree all the same are resolved.
template <template <class> class Arithmetic, class T>
class SecondOrderUnit {
 public:
  SecondOrderUnit(const Script& script, const Claim& claim, const Tensors& inputs,
                  std::int64_t unit)
      : geometry_(claim),
        index_(unit),
        tensors_(differentiated(claim, script)),
        script_(script),
        plain_(script, claim, inputs, unit),
        dual_(script, claim, inputs, unit) {
    for (const Differentiated& tensor : tensors_) {
      cotangents_.push_back(random_direction(tensor, geometry_, unit, kSeed));
      Values<Dual<T>>& numbers = dual_.numbers_of(tensor.movable);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].d = T(cotangents_.back()[i]);
    }
    value_ = &dual_.text().forward();
    dual_.text().backward();
    plain_.text().forward();
    plain_.text().backward();
    const double rstd = nearest(rstd_of<T>(script, plain_.text()));
    if (std::isfinite(rstd) && rstd > 1) log2_width_ = -std::ilogb(rstd);
    if constexpr (std::is_same_v<T, Real>) measure_rounding(claim, inputs);
  }

  /// The step, of a few, at which the differences of an entry agree with themselves best.
  int best_step(const Moved& moved, std::int64_t place) {
    constexpr std::array<int, 5> kSteps = kSecondOrderSteps<T>;
    int best = kSteps[0];
    std::optional<Real> least;
    for (const int step : kSteps) {
      const SecondOrderEntry e = entry(moved, place, step);
      const Real size = std::max({e.own, e.least, Real(abs(e.difference))});
      if (!least || e.own < *least) best = step;
      least = least ? std::min(*least, e.own) : e.own;
      if (e.own <= size * kEnough) break;
    }
    return best;
  }

  SecondOrderReading reading(const Moved& moved, const std::vector<std::int64_t>& places,
                             int log2_step) {
    SecondOrderReading result;
    for (const std::int64_t place : places)
      result.entries.push_back(entry(moved, place, log2_step));
    if constexpr (!std::is_same_v<T, Real>) {
      if (all_zero(result.entries)) result.within_range = within_range();
    }
    return result;
  }

  SecondOrderEntry entry(const Moved& moved, std::int64_t place, int log2_step) {
    const bool input = moved.tensor.movable.input && !moved.cotangent;
    const int exponent = log2_step + (input ? log2_width_ : 0);
    Values<T>& numbers =
        moved.cotangent ? plain_.unit().dy : plain_.numbers_of(moved.tensor.movable);
    T& number = numbers[static_cast<std::size_t>(place)];
    std::array<Real, kOrders + 1> odd;
    for (std::size_t k = 0; k < odd.size(); ++k)
      odd[k] = difference(number, exponent + static_cast<int>(k), moved.cotangent);
    SecondOrderEntry entry{entry_of(moved.tensor, geometry_, index_, place), log2_step};
    entry.product = product(moved, place);
    entry.difference = central(odd.data(), kOrders - 1, exponent);
    entry.own = abs(entry.difference - central(odd.data() + 1, kOrders - 1, exponent + 1));
    if constexpr (std::is_same_v<T, Real>) {
      // A number so large that the step is lost in it; never so much that all counts as 0.
      const Real lost = ldexp(abs(number), kLog2Luck - exponent) * kRealUnit;
      entry.least = ldexp(least_, -exponent) + abs(entry.product) * std::min(lost, Real(0.5));
    }
    return entry;
  }

  static bool all_zero(const std::vector<SecondOrderEntry>& entries) {
    return std::all_of(entries.begin(), entries.end(), [](const SecondOrderEntry& e) {
      return e.product == 0 && e.difference == 0;
    });
  }

  /// Whether no operation on the unit as it stands can under- or overflow in double: its numbers,
  /// what each step makes of them and the cotangents of that are 0 or of moderate size. Steps
  /// multiply fewer than six of them, and exp of 300 is in range.
  bool within_range() {
    plain_.text().forward();
    plain_.text().backward();
    bool within = moderate(plain_.unit().x) && moderate(plain_.unit().dy);
    for (const Values<T>& numbers : plain_.unit().numbers) within = within && moderate(numbers);
    for (std::size_t k = 0; k < script_.lines.size() && within; ++k) {
      const Values<T>* cotangent = plain_.text().cotangent_of(k);
      within = moderate(plain_.text().value_of(k)) && (!cotangent || moderate(*cotangent));
    }
    return within;
  }

 private:
  static constexpr std::uint64_t kSeed = 101;
  /// Three digits more than the audit certifies.
  static constexpr double kEnough = 1e-23;

  static bool moderate(const Values<T>& values) {
    return std::all_of(values.begin(), values.end(), [](const T& value) {
      const double size = std::abs(nearest(value));
      return size == 0 || (size >= 0x1p-100 && size <= 300);
    });
  }

  void measure_rounding(const Claim& claim, const Tensors& inputs) {
    ReadUnit<Arithmetic, Coarse> coarse(script_, claim, inputs, index_);
    coarse.text().forward();
    coarse.text().backward();
    for (std::size_t k = 0; k < tensors_.size(); ++k)
      least_ += apart(plain_.gradient(tensors_[k]), coarse.gradient(tensors_[k]), cotangents_[k]);
    least_ = rounding(least_);
  }

  /// (H c) at a place, or J c.
  Real product(const Moved& moved, std::int64_t place) {
    const auto at = static_cast<std::size_t>(place);
    if (moved.cotangent) return as_real((*value_)[at].d);
    const std::size_t t = static_cast<std::size_t>(
        std::find_if(tensors_.begin(), tensors_.end(),
                     [&](const Differentiated& d) { return d.name == moved.tensor.name; }) -
        tensors_.begin());
    if (products_.empty()) products_.resize(tensors_.size());
    if (!products_[t]) products_[t] = dual_.gradient(tensors_[t]);
    return as_real((*products_[t])[at].d);
  }

  /// All first-order gradients as the unit stands; without a forward pass where only dy has changed
  /// since the last.
  std::vector<Values<T>> gradients(bool forward) {
    if (forward) plain_.text().forward();
    plain_.text().backward();
    std::vector<Values<T>> result;
    for (const Differentiated& tensor : tensors_) result.push_back(plain_.gradient(tensor));
    return result;
  }

  /// M(+h) - M(-h), h a power of two: each number is moved by it only once. Term by term, so that
  /// the terms that do not move leave no rounding.
  const Real& difference(T& number, int log2_step, bool cotangent) {
    const auto [found, fresh] = moved_.try_emplace({&number, log2_step}, Real(0));
    if (!fresh) return found->second;
    const T start = number;
    const T step = power_of_two(log2_step);
    if (cotangent) plain_.text().forward();
    number = start + step;
    const std::vector<Values<T>> above = gradients(!cotangent);
    number = start - step;
    const std::vector<Values<T>> below = gradients(!cotangent);
    number = start;
    T sum(0);
    for (std::size_t k = 0; k < above.size(); ++k)
      for (std::size_t i = 0; i < above[k].size(); ++i)
        sum += (above[k][i] - below[k][i]) * T(cotangents_[k][i]);
    found->second = as_real(sum);
    return found->second;
  }

  static T power_of_two(int exponent) {
    if constexpr (std::is_same_v<T, Real>)
      return ldexp(Real(1), exponent);
    else
      return T(std::ldexp(1.0, exponent));
  }

  Geometry geometry_;
  std::int64_t index_;
  std::vector<Differentiated> tensors_;
  const Script& script_;
  ReadUnit<Arithmetic, T> plain_;
  ReadUnit<Arithmetic, Dual<T>> dual_;
  std::vector<Values<double>> cotangents_;
  const Values<Dual<T>>* value_ = nullptr;
  std::vector<std::optional<Values<Dual<T>>>> products_;
  std::map<std::pair<const T*, int>, Real> moved_;
  Real least_{0};
  int log2_width_ = 0;
};

}  // namespace gradproof
