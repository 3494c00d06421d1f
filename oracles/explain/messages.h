// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "oracles/explain/explain.h"

namespace gradproof {

/// What a permitted error comes from. The first four are the contract's reductions.
enum class Source {
  statistics,
  gradients,
  parameters,
  shared,
  exponential,
  reciprocal_root,
  underflow,
  rounding,  ///< of operations that are none of the above
  storage
};

/// The contract's name of a source that is a reduction; empty for the others.
std::string reduction_of(Source source);

/// The words for a source where it is kept in this part of the error (explain_bound.h), a share of
/// 0.
Term words_of(Source source, std::size_t part, const Claim& claim, const TensorSpec& spec);

/// What a step computes, "in" the number before it.
std::string formula_of(const Claim& claim, const Step& step);
/// Its adjoint, g the cotangent of its value.
std::string adjoint_of(const Claim& claim, const Step& step);

}  // namespace gradproof
