// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <functional>
#include <vector>

#include "oracles/audit/audit_subject.h"

namespace gradproof::oracle_tests {

/// L = sum of f_i(x_i) at 50 digits in one unit, with what is claimed of each derivative.
struct TinyTerm {
  double x = 0;
  std::function<Real(const Real&)> value;
  Real claimed;
};

class TinyLosses final : public Losses {
 public:
  TinyLosses(const std::vector<TinyTerm>& terms, bool false_method)
      : terms_(terms), false_method_(false_method) {
    for (const TinyTerm& term : terms) claimed_.push_back(term.claimed);
  }
  void take_unit(std::int64_t) override {}
  std::int64_t count(std::size_t) const override { return std::ssize(terms_); }
  std::int64_t entry(std::size_t, std::int64_t place) const override { return place; }
  Real change(std::size_t, std::int64_t place, double move) override {
    const TinyTerm& term = terms_[static_cast<std::size_t>(place)];
    return term.value(Real(term.x) + Real(move)) - term.value(Real(term.x));
  }
  const Values<Real>& changes(std::size_t tensor, double move, Method method) override {
    changes_.clear();
    for (std::int64_t place = 0; place < count(tensor); ++place)
      changes_.push_back(change(tensor, place, move));
    if (method == Method::together) changes_.back() *= Real(1) + Real("1e-12");
    return changes_;
  }
  Method quickest(std::size_t) const override {
    return false_method_ ? Method::together : Method::direct;
  }
  const Values<Real>& claimed(std::size_t) override { return claimed_; }
  int log2_scale(std::size_t) override { return 0; }
  double magnitude() override {
    Real sum(0);
    for (const TinyTerm& term : terms_) sum += abs(term.value(Real(term.x)));
    return sum.convert_to<double>();
  }

 private:
  const std::vector<TinyTerm>& terms_;
  bool false_method_;
  Values<Real> claimed_;
  Values<Real> changes_;
};

class TinySubject final : public Subject {
 public:
  explicit TinySubject(std::vector<TinyTerm> terms, bool false_method = false)
      : terms_(std::move(terms)), false_method_(false_method) {
    tensors_.push_back({"x", {std::ssize(terms_)}, Reach::itself});
  }
  const std::vector<AuditedTensor>& tensors() const override { return tensors_; }
  std::int64_t blocks() const override { return 1; }
  std::vector<std::int64_t> units_of(std::int64_t) const override { return {0}; }
  bool in_one_unit(std::size_t) const override { return true; }
  std::int64_t block_of(std::size_t, std::int64_t) const override { return 0; }
  std::int64_t unit_of(std::size_t, std::int64_t) const override { return 0; }
  std::int64_t unit_size() const override { return std::ssize(terms_); }
  std::unique_ptr<Losses> losses(AuditArithmetic) const override {
    return std::make_unique<TinyLosses>(terms_, false_method_);
  }

 private:
  std::vector<TinyTerm> terms_;
  bool false_method_;
  std::vector<AuditedTensor> tensors_;
};

}  // namespace gradproof::oracle_tests
