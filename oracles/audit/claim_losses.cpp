// SPDX-License-Identifier: Apache-2.0
#include "oracles/audit/claim_losses.h"

#include <algorithm>
#include <cmath>

#include "oracles/audit/kinks.h"
#include "oracles/audit/packed_losses.h"
#include "oracles/audit/statistics_script.h"
#include "oracles/audit/unit_losses.h"
#include "oracles/gather.h"

namespace gradproof {
namespace {

Real real_of(const Wide& wide) { return Real(wide.hi) + (Real(wide.mid) + Real(wide.lo)); }

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
  double rstd() { return losses_->rstd(); }
  double magnitude() { return losses_->magnitude(); }

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
  double rstd() { return losses_.rstd().convert_to<double>(); }
  double magnitude() {
    Real sum(0);
    for (std::size_t i = 0; i < losses_.value().size(); ++i)
      sum += abs(losses_.value()[i] * losses_.unit().dy[i]);
    return sum.convert_to<double>();
  }

 private:
  UnitLosses<Real> losses_;
};

template <class Arithmetic>
class ClaimLosses final : public Losses {
 public:
  ClaimLosses(const ClaimSubject& subject, AuditArithmetic arithmetic)
      : subject_(subject),
        losses_(subject.script(), arithmetic),
        parts_(subject.script()),
        kinks_(subject.claim(), subject.script()),
        through_statistics_from_(quicker_through_statistics(arithmetic)) {}

  void take_unit(std::int64_t unit) override {
    const Claim& claim = subject_.claim();
    index_ = unit;
    numbers_ = gather<double>(claim, subject_.inputs(), unit);
    const std::int64_t block = subject_.geometry().block_of(unit);
    if (block != block_) losses_.take_numbers(numbers_);
    block_ = block;
    losses_.take_unit(numbers_);
    kinks_.take_unit(numbers_);
  }

  std::int64_t count(std::size_t tensor) const override {
    if (subject_.movable(tensor).input) return subject_.geometry().unit_size();
    return subject_.shared(tensor) ? 1 : subject_.geometry().columns();
  }

  std::int64_t entry(std::size_t tensor, std::int64_t place) const override {
    const Geometry& geometry = subject_.geometry();
    if (subject_.movable(tensor).input) return geometry.first(index_) + place * geometry.stride();
    return subject_.shared(tensor) ? 0 : geometry.first_column(index_) + place;
  }

  Real change(std::size_t tensor, std::int64_t place, double move) override {
    return losses_.change(subject_.movable(tensor), place, move);
  }

  const Values<Real>& changes(std::size_t tensor, double move, Method method) override {
    const Movable movable = subject_.movable(tensor);
    changes_.resize(static_cast<std::size_t>(count(tensor)));
    if (method == Method::together)
      losses_.changes_together(movable, move, changes_);
    else if (method == Method::statistics &&
             losses_.changes_through_statistics(movable, move, changes_))
      complete(movable, move);
    else
      for (std::size_t i = 0; i < changes_.size(); ++i)
        changes_[i] = losses_.change(movable, static_cast<std::int64_t>(i), move);
    return changes_;
  }

  Method quickest(std::size_t tensor) const override {
    const Movable movable = subject_.movable(tensor);
    const bool by_element =
        movable.input || (subject_.geometry().channels() && !subject_.shared(tensor));
    if (by_element && !subject_.before_norm(tensor)) return Method::together;
    const bool through_statistics =
        parts_.allows(movable) && subject_.geometry().unit_size() >= through_statistics_from_;
    return through_statistics ? Method::statistics : Method::direct;
  }

  const Values<Real>& claimed(std::size_t tensor) override {
    claimed_ = losses_.adjoint(subject_.movable(tensor));
    const auto wanted = static_cast<std::size_t>(count(tensor));
    if (claimed_.size() == wanted) return claimed_;
    Real sum(0);  // a number that all channels share has a term for each of them
    for (const Real& term : claimed_) sum += term;
    claimed_.assign(wanted, sum);
    return claimed_;
  }

  int log2_scale(std::size_t tensor) override {
    if (!subject_.before_norm(tensor)) return 0;
    const double rstd = losses_.rstd();
    return std::isfinite(rstd) && rstd > 0 ? -std::ilogb(rstd) : 0;
  }

  double magnitude() override { return losses_.magnitude(); }

  std::string irregular(std::size_t tensor, std::int64_t place, double move) override {
    return kinks_.why_not(subject_.movable(tensor), place, move);
  }

 private:
  /// What cannot be told through the statistics; a unit that is not finite has no other answer.
  void complete(const Movable& movable, double move) {
    const auto untold = [](const Real& change) { return isnan(change); };
    if (std::none_of(changes_.begin(), changes_.end(), untold)) return;
    if (!std::isfinite(losses_.magnitude())) return;
    for (std::size_t i = 0; i < changes_.size(); ++i)
      if (untold(changes_[i]))
        changes_[i] = losses_.change(movable, static_cast<std::int64_t>(i), move);
  }

  const ClaimSubject& subject_;
  Arithmetic losses_;
  StatisticsScript parts_;
  Kinks<> kinks_;
  std::int64_t through_statistics_from_;
  Unit<double> numbers_;
  std::int64_t index_ = 0;
  std::int64_t block_ = -1;
  Values<Real> changes_;
  Values<Real> claimed_;
};

}  // namespace

std::unique_ptr<Losses> claim_losses(const ClaimSubject& subject, AuditArithmetic arithmetic) {
  if (arithmetic == AuditArithmetic::digits50)
    return std::make_unique<ClaimLosses<FiftyDigits>>(subject, arithmetic);
  return std::make_unique<ClaimLosses<Packed>>(subject, arithmetic);
}

}  // namespace gradproof
