// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "oracles/differences/target.h"

namespace gradproof {

/// A PerturbedLoss that forwards to another one; a derived class overrides what differs. The
/// other's `differences` are not forwarded: they are relative to its claims, which may be other
/// claims.
class ForwardedLoss : public PerturbedLoss {
 public:
  std::int64_t count(std::size_t tensor) const override { return to().count(tensor); }
  std::int64_t entry(std::size_t tensor, std::int64_t place) const override {
    return to().entry(tensor, place);
  }
  Real change(std::size_t tensor, std::int64_t place, double move) override {
    return to().change(tensor, place, move);
  }
  Real change_by(Method method, std::size_t tensor, std::int64_t place, double move) override {
    return to().change_by(method, tensor, place, move);
  }
  const Values<Real>& changes(std::size_t tensor, double move, Method method) override {
    return to().changes(tensor, move, method);
  }
  Method quickest(std::size_t tensor) const override { return to().quickest(tensor); }
  const Values<Real>& claimed(std::size_t tensor) override { return to().claimed(tensor); }
  int log2_scale(std::size_t tensor) override { return to().log2_scale(tensor); }
  double magnitude() override { return to().magnitude(); }
  double magnitude_of(std::int64_t place) override { return to().magnitude_of(place); }
  double typical_change() override { return to().typical_change(); }
  Real rounding(std::size_t tensor, std::int64_t place, int order_index, int log2_h) override {
    return to().rounding(tensor, place, order_index, log2_h);
  }
  bool moves(std::size_t tensor, std::int64_t place, double move) override {
    return to().moves(tensor, place, move);
  }
  std::string irregular(std::size_t tensor, std::int64_t place, double move) override {
    return to().irregular(tensor, place, move);
  }

 private:
  virtual PerturbedLoss& to() const = 0;
};

}  // namespace gradproof
