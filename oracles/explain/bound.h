// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "oracles/explain/site.h"
#include "oracles/truth/stored_rounding.h"

namespace gradproof {

/// A permitted error in parts: one for each error that a unit shares (SharedError), then the
/// independent error.
inline constexpr std::size_t kIndependent = kSharedErrors;
using Parts = std::array<double, kSharedErrors + 1>;

/// The value and error of an ErrorScalar of any number type.
struct Bounded {
  double value = 0;
  Parts parts{};
  bool vacuous = false;
  bool overflow = false;

  double total() const;
  Permitted permitted() const { return {total(), vacuous, overflow}; }
};

/// Whether products may underflow in the contract's type. Leaving it out shows its share.
enum class Underflow { modelled, left_out };

/// The permitted error at the site before storage, by the claim's contract.
Bounded bound_at(const Claim& claim, const Tensors& inputs,
                 const std::optional<GivenStatistics>& given, const Site& site,
                 Underflow underflow = Underflow::modelled);

/// The error that storing a number adds: u (|value| + error) + underflow, or 0 where the tensor's
/// type is no coarser than that of the accumulation.
double storage_error(const Claim& claim, const TensorSpec& spec, const Bounded& bounded);

}  // namespace gradproof
