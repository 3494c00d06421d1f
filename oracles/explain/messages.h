// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/claim/claim.h"
#include "oracles/explain/explain.h"

namespace gradproof {

/// The sources of a permitted error. The first four are the contract's reductions.
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

/// The term of a source in one part of the error (bound.h, Parts): text and detail, with a share of
/// 0.
Term term_of(Source source, std::size_t part, const Claim& claim, const TensorSpec& spec);

/// The formula of a step; "in" is its input.
std::string formula_of(const Claim& claim, const GraphStep& step);
/// The formula of its adjoint; g is the cotangent of its value.
std::string adjoint_of(const GraphStep& step);

}  // namespace gradproof
