// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/tensor.h"
#include "oracles/real.h"
#include "oracles/stage.h"

namespace gradproof {

/// Gradient tensors at 50 digits, row-major, by name (d_x).
using RealGradients = std::map<std::string, Values<Real>, std::less<>>;

/// The adjoint of the claim's pipeline, end to end, for every gradient the claim has.
RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs);

/// Central differences of order 4 of L = sum dy*y at 50 digits, with respect to one input tensor:
///
///   D(h) = (8 (L(+h) - L(-h)) - (L(+2h) - L(-2h))) / 12h,   error h^4/30 L^(5) + rounding/h.
///
/// An element of a column is felt in that column only, so only that column is evaluated; a number
/// that all columns share is felt in all.
class Differences {
 public:
  Differences(const Claim& claim, const Tensors& inputs, const TensorSpec& parameter)
      : claim_(claim), inputs_(inputs), parameter_(parameter) {}

  std::int64_t entries() const { return numel(parameter_.layout.shape); }

  /// D(2^log2_step) for some entries, spread over all cores.
  Values<Real> at(const std::vector<std::int64_t>& entries, int log2_step) const;

  /// ... for all entries.
  Values<Real> all(int log2_step) const;

  /// An exponent that no step should pass: about the width over which the value changes.
  int log2_scale(const std::vector<std::int64_t>& entries) const;

 private:
  bool is_shared() const;
  std::int64_t column_of(std::int64_t entry) const;
  Real difference(Unit<Real>& unit, std::int64_t row, int log2_step) const;
  Real loss(const Unit<Real>& unit) const;

  const Claim& claim_;
  const Tensors& inputs_;
  const TensorSpec& parameter_;
};

}  // namespace gradproof
