// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// Relative errors of a back-end's functions, in units of u, from the exact function of the
/// argument that was given. A documented "1 ulp" is 2u, and 1 more where it counts from the rounded
/// result.
struct FunctionErrors {
  double exp = 2;
  double log = 2;
  double log1p = 4;
  double tanh = 4;
  double erf = 3;
  double erf_absolute = 0;  ///< absolute, beside the relative one
  double sqrt = 1;
  // A result below the smallest normal number may be 0:
  bool exp_underflows = false;
  bool gelu_underflows = false;
};

}  // namespace gradproof
