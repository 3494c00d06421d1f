// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "oracles/explain/site.h"
#include "oracles/truth/stored_rounding.h"

namespace gradproof {

/// A permitted error by where it is kept: in the symbols that a unit shares, then on its own.
inline constexpr std::size_t kIndependent = kSharedErrors;
using Parts = std::array<double, kSharedErrors + 1>;

/// An ErrorScalar of whatever number type.
struct Bounded {
  double value = 0;
  Parts parts{};
  bool vacuous = false;
  bool overflow = false;

  double total() const;
  Permitted permitted() const { return {total(), vacuous, overflow}; }
};

/// Whether products may underflow in the contract's type; without is an ablation.
enum class Underflow { modelled, left_out };

/// The permitted error at the site before it is stored, by the claim's contract.
Bounded bound_at(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const Site& site,
                 Underflow underflow = Underflow::modelled);

/// What storing a number adds: 0 where the tensor's type is no coarser than the accumulation's.
double storage_error(const Claim& claim, const TensorSpec& spec, const Bounded& bounded);

}  // namespace gradproof
