// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <functional>
#include <vector>

#include "oracles/arithmetic/real.h"
#include "oracles/differences/audit_target.h"

namespace gradproof::oracle_tests {

/// L = sum of f_i(x_i) in one unit, in 400 digits or rounded to 50, with what is claimed of each
/// derivative.
struct TinyTerm {
  double x = 0;
  std::function<Digits400(const Digits400&)> value;
  Real claimed;
};

/// The error of Method::together: a factor on the last number, or that the first number moves all
/// of L, of which an evaluation of its own element alone says nothing.
enum class Falsehood { none, factor, affects_all };

class TinyLoss : public PerturbedLoss {
 public:
  TinyLoss(const std::vector<TinyTerm>& terms, Falsehood falsehood, AuditArithmetic arithmetic)
      : terms_(terms), falsehood_(falsehood), arithmetic_(arithmetic) {
    for (const TinyTerm& term : terms) claimed_.emplace_back(term.claimed);
  }
  void take_unit(std::int64_t) override {}
  std::int64_t count(std::size_t) const override { return std::ssize(terms_); }
  std::int64_t entry(std::size_t, std::int64_t place) const override { return place; }
  Digits400 change(std::size_t, std::int64_t place, double move) override {
    const bool elsewhere = falsehood_ == Falsehood::affects_all && place == 0;
    return of_own_element(place, move) + Digits400(elsewhere ? move : 0);
  }
  std::vector<Values<Digits400>> changes(std::size_t tensor,
                                         const std::vector<std::int64_t>& places,
                                         const std::vector<double>& moves, Method method) override {
    if (method != Method::together) return PerturbedLoss::changes(tensor, places, moves, method);
    std::vector<Values<Digits400>> rows(moves.size());
    for (std::size_t k = 0; k < moves.size(); ++k) {
      for (const std::int64_t place : places) rows[k].push_back(of_own_element(place, moves[k]));
      if (!places.empty()) continue;
      for (std::int64_t place = 0; place < count(tensor); ++place)
        rows[k].push_back(of_own_element(place, moves[k]));
      if (falsehood_ == Falsehood::factor) rows[k].back() *= Real(1) + Real("1e-12");
    }
    return rows;
  }
  Method quickest(std::size_t) const override {
    return falsehood_ == Falsehood::none ? Method::direct : Method::together;
  }
  const Values<Digits400>& claimed(std::size_t) override { return claimed_; }
  int log2_scale(std::size_t) override { return 0; }
  double magnitude() override {
    Real sum(0);
    for (const TinyTerm& term : terms_) sum += Real(abs(term.value(Digits400(term.x))));
    return sum.convert_to<double>();
  }

 private:
  Digits400 of_own_element(std::int64_t place, double move) const {
    const TinyTerm& term = terms_[static_cast<std::size_t>(place)];
    const Digits400 x(term.x);
    const Digits400 moved = term.value(x + Digits400(move));
    if (arithmetic_ == AuditArithmetic::digits400) return moved - term.value(x);
    return Real(moved) - Real(term.value(x));
  }

  const std::vector<TinyTerm>& terms_;
  Falsehood falsehood_;
  AuditArithmetic arithmetic_;
  Values<Digits400> claimed_;
};

class TinyTarget : public AuditTarget {
 public:
  explicit TinyTarget(std::vector<TinyTerm> terms, Falsehood falsehood = Falsehood::none)
      : terms_(std::move(terms)), falsehood_(falsehood) {
    tensors_.push_back({"x", {std::ssize(terms_)}, Reach::itself});
  }
  const std::vector<AuditedTensor>& tensors() const override { return tensors_; }
  std::int64_t blocks() const override { return 1; }
  std::vector<std::int64_t> units_of(std::int64_t) const override { return {0}; }
  bool in_one_unit(std::size_t) const override { return true; }
  std::int64_t unit_size() const override { return std::ssize(terms_); }
  std::unique_ptr<PerturbedLoss> losses(AuditArithmetic arithmetic) const override {
    return std::make_unique<TinyLoss>(terms_, falsehood_, arithmetic);
  }

 protected:
  std::vector<TinyTerm> terms_;
  Falsehood falsehood_;

 private:
  std::vector<AuditedTensor> tensors_;
};

/// The audit's row for the target's one tensor.
inline AuditRow row_of(std::vector<TinyTerm> terms, Falsehood falsehood = Falsehood::none) {
  return audit_target(TinyTarget(std::move(terms), falsehood), {}).at(0);
}

}  // namespace gradproof::oracle_tests
