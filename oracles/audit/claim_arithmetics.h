// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/audit/packed_losses.h"
#include "oracles/audit/unit_losses.h"
#include "oracles/real.h"

namespace gradproof {

inline Real real_of(const Wide& wide) { return Real(wide.hi) + (Real(wide.mid) + Real(wide.lo)); }

/// Elements of a unit from which on Method::statistics is quicker than direct, at four moves.
std::int64_t quicker_through_statistics(AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::double_double) return 16;
  return arithmetic == AuditArithmetic::triple_double ? 28 : 40;
}

/// Vectors of double-doubles or triple-doubles.
class Packed {
 public:
  Packed(const Script& script, AuditArithmetic arithmetic)
      : losses_(packed_losses(script, arithmetic)) {}

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
  bool changes_through_statistics(const Movable& tensor, double move, Values<Real>& into) {
    wide_.resize(into.size());
    if (!losses_->changes_through_statistics(tensor, move, wide_.data())) return false;
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = real_of(wide_[i]);
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
  double magnitude() { return losses_->magnitude(); }
  double magnitude_of(std::int64_t place) { return losses_->magnitude_of(place); }
  double felt(const Movable& tensor, std::int64_t place, double move) {
    return losses_->felt(tensor, place, move);
  }

 private:
  std::unique_ptr<PackedLosses> losses_;
  std::vector<Wide> wide_;
};

class FiftyDigits {
 public:
  FiftyDigits(const Script& script, AuditArithmetic) : losses_(script) {}

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
      losses_.widths().push_back(ldexp(Real(1), log2_width(x)));
      losses_.per_width().push_back(ldexp(Real(1), -log2_width(x)));
    }
    losses_.rest(static_cast<std::int64_t>(unit.x.size()));
  }
  Real change(const Movable& tensor, std::int64_t place, double move) {
    return losses_.change(tensor, place, move);
  }
  void changes_together(const Movable& tensor, double move, Values<Real>& into) {
    into = losses_.changes_together(tensor, move);
  }
  bool changes_through_statistics(const Movable& tensor, double move, Values<Real>& into) {
    if (!losses_.has_statistics(tensor)) return false;
    into = losses_.changes_through_statistics(tensor, move);
    return true;
  }
  Values<Real> adjoint(const Movable& tensor) { return losses_.adjoint(tensor); }
  double rstd() const { return losses_.rstd().convert_to<double>(); }
  double magnitude() {
    Real sum(0);
    for (std::size_t i = 0; i < losses_.value().size(); ++i)
      sum += abs(losses_.value()[i] * losses_.unit().dy[i]);
    return sum.convert_to<double>();
  }
  double magnitude_of(std::int64_t place) {
    const auto at = static_cast<std::size_t>(place);
    const Real product = losses_.value()[at] * losses_.unit().dy[at] * losses_.per_width()[at];
    return abs(product).convert_to<double>();
  }
  double felt(const Movable& tensor, std::int64_t place, double move) {
    return losses_.felt(tensor, place, move).convert_to<double>();
  }

 private:
  UnitLosses<Real> losses_;
};

}  // namespace gradproof
