// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/tensor.h"
#include "oracles/geometry.h"
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
/// An element of x is felt in its unit only, a parameter of a column in its block, a number that
/// all columns share in all units: only those are evaluated.
class Differences {
 public:
  Differences(const Claim& claim, const Tensors& inputs, const TensorSpec& parameter)
      : claim_(claim), inputs_(inputs), parameter_(parameter), geometry_(claim), script_(claim) {}

  std::int64_t entries() const { return numel(parameter_.layout.shape); }

  /// D(2^log2_step) for some entries, spread over all cores.
  Values<Real> at(const std::vector<std::int64_t>& entries, int log2_step) const;

  /// ... for all entries.
  Values<Real> all(int log2_step) const;

  /// Sum of |dy y| over the units in which the entries are felt.
  Real magnitude(const std::vector<std::int64_t>& entries) const;

  /// An exponent that no step should pass: about the width over which the value changes.
  int log2_scale(const std::vector<std::int64_t>& entries) const;

 private:
  /// One unit in which an entry is felt.
  struct Part {
    std::size_t entry = 0;  ///< position among the entries asked for
    std::int64_t unit = 0;
    std::int64_t place = 0;  ///< of the entry in the unit
  };

  std::vector<Part> parts_of(std::int64_t entry, std::size_t position) const;
  Real difference(Unit<Real>& unit, std::int64_t place, int log2_step) const;

  const Claim& claim_;
  const Tensors& inputs_;
  const TensorSpec& parameter_;
  Geometry geometry_;
  Script script_;
};

}  // namespace gradproof
