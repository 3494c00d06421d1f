// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/derivatives/read_unit.h"

namespace gradproof {

/// The derivative of one output of a unit by one number, computed in three ways.
struct OutputDerivative {
  Real rest;  ///< the output itself
  Real difference;
  Real self_error;  ///< |D(h) - D(2h)|
  Real dual;
  std::optional<Real> adjoint;  ///< of y, where it was computed
};

/// One unit and one number of it, by tensor and place, in 400 digits. The outputs are y, element by
/// element, then the side values by CompiledPipeline::sides.
class ColumnUnit {
 public:
  ColumnUnit(const PipelineTarget& target, std::int64_t unit, std::size_t tensor, std::size_t place)
      : target_(target), index_(unit), tensor_(tensor), place_(place), unit_(target, unit) {}

  /// The derivatives by output, with differences of order 2 at h = 2^log2_h. The adjoint is
  /// computed for every element whose place is a multiple of `apart`, and for the number's own.
  std::vector<OutputDerivative> derivatives(int log2_h, std::size_t apart) {
    ReadUnit<Plain, Dual<Digits400>> dual(target_, index_);
    dual.numbers_of(tensor_)[place_].d = Digits400(1);
    const Values<Dual<Digits400>> duals = dual.outputs();
    const Values<Digits400> fine = differences(log2_h);
    const Values<Digits400> coarse = differences(log2_h + 1);
    const Values<Digits400> rest = unit_.outputs();
    Values<Digits400>& dy = unit_.dy();
    std::fill(dy.begin(), dy.end(), Digits400(0));
    std::vector<OutputDerivative> result;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      result.push_back({Real(rest[i]), Real(fine[i]), Real(abs(fine[i] - coarse[i])),
                        Real(duals[i].d), std::nullopt});
      if (i >= dy.size() || (i % apart != 0 && i != place_)) continue;
      dy[i] = Digits400(1);
      result[i].adjoint = Real(unit_.adjoint()[tensor_][place_]);
      dy[i] = Digits400(0);
    }
    return result;
  }

 private:
  /// (output(+h) - output(-h)) / 2h
  Values<Digits400> differences(int log2_h) {
    Digits400& number = unit_.numbers_of(tensor_)[place_];
    const Digits400 before = number;
    const Digits400 h = ldexp(Digits400(1), log2_h);
    number = before + h;
    Values<Digits400> result = unit_.outputs();
    number = before - h;
    const Values<Digits400> below = unit_.outputs();
    number = before;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = ldexp(result[i] - below[i], -1 - log2_h);
    return result;
  }

  const PipelineTarget& target_;
  std::int64_t index_;
  std::size_t tensor_;
  std::size_t place_;
  ReadUnit<Plain, Digits400> unit_;
};

/// The number of the unit's outputs that differ if the inputs are `changed`.
inline std::int64_t outputs_that_move(const PipelineTarget& target, const Tensors& changed,
                                      std::int64_t unit) {
  const PipelineTarget other(target.claim(), changed);
  const Values<Real> before = ReadUnit<Plain, Real>(target, unit).outputs();
  const Values<Real> after = ReadUnit<Plain, Real>(other, unit).outputs();
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i] != after[i] && !(isnan(before[i]) && isnan(after[i]))) ++moved;
  return moved;
}

}  // namespace gradproof
