// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/evaluate/packed_loss.h"
#include "oracles/differences/evaluate/unit_loss.h"
#include "oracles/differences/evaluate/wide_real.h"
#include "oracles/differences/target.h"

namespace gradproof {

/// Elements of a unit from which on Method::statistics is faster than direct, at four moves.
std::int64_t quicker_through_statistics(AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::double_double) return 16;
  return arithmetic == AuditArithmetic::triple_double ? 28 : 40;
}

/// The loss of a unit in vectors of double-doubles or triple-doubles, with results in Real.
class Packed {
 public:
  Packed(const CompiledPipeline& compiled, AuditArithmetic arithmetic)
      : losses_(packed_loss(compiled, arithmetic)) {}

  void take_numbers(const Unit<double>& numbers) { losses_->take_numbers(numbers); }
  void take_unit(const Unit<double>& unit) {
    losses_->take_unit(unit.x.data(), unit.dy.data(), static_cast<std::int64_t>(unit.x.size()));
  }
  Real change(const Movable& tensor, std::int64_t place, double move) {
    return real_of(losses_->change(tensor, place, move));
  }
  void changes_together(const Movable& tensor, double move, Values<Real>& into) {
    wide_.resize(into.size());
    losses_->changes_together(tensor, move, wide_.data());
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = real_of(wide_[i]);
  }
  bool by_element(const Movable& tensor, bool through_statistics) const {
    return losses_->by_element(tensor, through_statistics);
  }
  Real change_of_element(const Movable& tensor, bool through_statistics, std::int64_t place,
                         double move) {
    return real_of(losses_->change_of_element(tensor, through_statistics, place, move));
  }
  void changes_of_elements(const Movable& tensor, bool through_statistics, double move,
                           Values<Real>& into) {
    wide_.resize(into.size());
    losses_->changes_of_elements(tensor, through_statistics, move, wide_.data());
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = real_of(wide_[i]);
  }
  /// By element for Method::together and statistics, else from direct moves. False: not available.
  bool differences(const Movable& tensor, Method method, int order_index, int log2_h,
                   const DifferencesInto& into, std::int64_t count) {
    const bool through_statistics = method == Method::statistics;
    if (method != Method::direct) {
      if (!by_element(tensor, through_statistics)) return false;
      losses_->differences(tensor, through_statistics, order_index, log2_h, into);
      return true;
    }
    if (losses_->terms(tensor) != count) return false;  // one claim, a term for each element
    wide_.clear();
    for (int k = 0; k < order_index + 2; ++k)
      for (const double sign : {1.0, -1.0})
        for (std::int64_t place = 0; place < count; ++place)
          wide_.push_back(losses_->change(tensor, place, std::ldexp(sign, log2_h + k)));
    losses_->adjoint(tensor, into.claimed);
    losses_->tabled(wide_.data(), count, order_index, log2_h, into);
    return true;
  }
  Values<Real> adjoint(const Movable& tensor) {
    wide_.resize(static_cast<std::size_t>(losses_->terms(tensor)));
    losses_->adjoint(tensor, wide_.data());
    Values<Real> result;
    for (const Wide& wide : wide_) result.push_back(real_of(wide));
    return result;
  }
  double rstd() const { return losses_->rstd(); }
  double condition() const { return losses_->condition(); }
  bool moves(const Movable&, std::int64_t, double) { return true; }
  double magnitude() { return losses_->magnitude(); }
  double magnitude_of(std::int64_t place) { return losses_->magnitude_of(place); }
  double absolute_change(const Movable& tensor, std::int64_t place, double move) {
    return losses_->absolute_change(tensor, place, move);
  }

 private:
  std::unique_ptr<PackedLoss> losses_;
  std::vector<Wide> wide_;
};

/// The loss of a unit in MPFR numbers of 50 digits or more; the same interface as Packed.
template <class T>
class ManyDigits {
 public:
  ManyDigits(const CompiledPipeline& compiled, AuditArithmetic) : losses_(compiled) {}

  void take_numbers(const Unit<double>& numbers) {
    for (std::size_t slot = 0; slot < numbers.numbers.size(); ++slot)
      losses_.unit().numbers[slot].assign(numbers.numbers[slot].begin(),
                                          numbers.numbers[slot].end());
    losses_.unit().batches = numbers.batches;
  }
  void take_unit(const Unit<double>& unit) {
    losses_.unit().x.assign(unit.x.begin(), unit.x.end());
    losses_.unit().dy.assign(unit.dy.begin(), unit.dy.end());
    losses_.widths().clear();
    losses_.per_width().clear();
    for (const double x : unit.x) {
      losses_.widths().push_back(ldexp(T(1), log2_width(x)));
      losses_.per_width().push_back(ldexp(T(1), -log2_width(x)));
    }
    losses_.evaluate(static_cast<std::int64_t>(unit.x.size()));
  }
  Real change(const Movable& tensor, std::int64_t place, double move) {
    return Real(losses_.change(tensor, place, move));
  }
  void changes_together(const Movable& tensor, double move, Values<Real>& into) {
    into = rounded(losses_.changes_together(tensor, move));
  }
  bool by_element(const Movable& tensor, bool through_statistics) const {
    return losses_.by_element(tensor, through_statistics);
  }
  Real change_of_element(const Movable& tensor, bool through_statistics, std::int64_t place,
                         double move) {
    const auto at = static_cast<std::size_t>(place);
    return Real(losses_.changes(tensor, through_statistics, at, at + 1, move)[0]);
  }
  void changes_of_elements(const Movable& tensor, bool through_statistics, double move,
                           Values<Real>& into) {
    into = rounded(losses_.changes(tensor, through_statistics, 0, into.size(), move));
  }
  bool differences(const Movable&, Method, int, int, const DifferencesInto&, std::int64_t) {
    return false;  // few entries come here, and doubles lack the range
  }
  Values<Real> adjoint(const Movable& tensor) { return rounded(losses_.adjoint(tensor)); }
  double rstd() const { return losses_.rstd().template convert_to<double>(); }
  double condition() const { return losses_.condition().template convert_to<double>(); }
  bool moves(const Movable& tensor, std::int64_t place, double move) {
    return losses_.moves(tensor, place, move);
  }
  double magnitude() {
    T sum(0);
    for (std::size_t i = 0; i < losses_.value().size(); ++i)
      sum += abs(losses_.value()[i] * losses_.unit().dy[i]);
    return sum.template convert_to<double>();
  }
  double magnitude_of(std::int64_t place) {
    const auto at = static_cast<std::size_t>(place);
    const T product = losses_.value()[at] * losses_.unit().dy[at] * losses_.per_width()[at];
    return T(abs(product)).template convert_to<double>();
  }
  double absolute_change(const Movable& tensor, std::int64_t place, double move) {
    return losses_.absolute_change(tensor, place, move).template convert_to<double>();
  }

 private:
  static Values<Real> rounded(const Values<T>& values) {
    Values<Real> result;
    for (const T& value : values) result.push_back(Real(value));
    return result;
  }

  UnitLoss<T> losses_;
};

}  // namespace gradproof
