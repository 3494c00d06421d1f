// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// Relative errors of a back-end's functions, in units of u, from the exact function of the
/// argument that was given. A documented "1 ulp" is 2u, and 1 more where it counts from the rounded
/// result. The defaults are those of code whose division and square root are correctly rounded.
struct FunctionErrors {
  double exp = 2;
  double exp_argument = 0;  ///< times |x| beside that: exp(x) as exp2(x log2 e)
  double log = 2;
  double log1p = 4;
  double tanh = 4;
  double erf = 3;
  double erf_absolute = 0;  ///< absolute, beside the relative one
  double sine = 5;          ///< of cos too; CUDA's sinf and cosf have 2 ulp
  double power = 9;         ///< beside what exp(p log x) makes; CUDA's powf has 4 ulp
  double sqrt = 1;
  double division = 1;
  double rsqrt = 2;  ///< of 1/sqrt(w)
  /// Relative error of a number of the text, not in units of u: it may have been rounded to the
  /// storage type.
  double literal = 0;
  // A result below the smallest normal number may be 0:
  bool exp_underflows = false;
  bool gelu_underflows = false;
};

/// The largest of what is usual, Triton's on a GPU included: exp(x) is a product with log2 e, which
/// is rounded once and multiplied once, (1 + 0.224) |x| u, and PTX's ex2.approx, 2^-22.5; a
/// division is div.full, 2 ulp, a root sqrt.approx, 2^-23 (PTX ISA, "Floating Point
/// Instructions"), and 1/sqrt may be both. Measured on an H100: docs/contracts.md.
inline FunctionErrors usual_functions() {
  FunctionErrors f;
  f.exp = 3;
  f.exp_argument = 1.23;
  f.division = 4;
  f.sqrt = 2;
  f.rsqrt = 6;
  return f;
}

}  // namespace gradproof
