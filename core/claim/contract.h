// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/tensor/dtype.h"

namespace gradproof {

/// The algorithms for mean and variance.
///   two_pass  mean first, then the sum of squared differences
///   welford   running mean and M2 per lane, lanes merged in a tree (Chan, Golub, LeVeque 1979)
///   one_pass  E[x^2] - E[x]^2, clamped at 0
enum class Variance { two_pass, welford, one_pass };

/// The ways to form 1 - sigmoid(z) in the derivative of Swish: 1 - s, or sigmoid(-z).
enum class SigmoidComplement { subtracted, reflected };

/// The ways to form Swish: z * sigmoid(z) with a branch on the sign, or z / (1 + exp(-z)).
enum class SwishForm { product, quotient };

/// The ways to form a norm's dx; f = gamma * rstd, S1 = sum g, S2 = sum g * xhat:
///   standardized  f * ((g - S1/N) - xhat * (S2/N))
///   centered      ((g - S1/N) - (x - mean) * (S2c*rstd^2/N)) * rstd*gamma, S2c = sum g*(x - mean)
///   uncentered    rstd*weight*dy + c2*x + c3 with c2 = (S1*mean - S2x) * rstd^3 / N,
///                 c3 = -c2*mean - S1*rstd/N, S2x = sum g*x (LibTorch's GroupNorm)
enum class NormBackward { standardized, centered, uncentered };

/// The update of a running statistic: r' = (1-m)*r + m*v, or r' = r + m*(v-r).
enum class RunningUpdate { weighted, lerp };

/// One reduction and the length of its longest chain of inexact additions (adding to 0 is exact).
struct Reduction {
  /// statistics   of one unit
  /// gradients    over one unit: a norm's two sums, and in a column the gradients of its parameters
  /// parameters   over the rows, where a unit is one row of a group
  /// shared       of a parameter of one number, over the columns' sums or over all elements
  std::string name;
  std::int64_t length = 0;  ///< numbers that are added
  std::int64_t chain = 0;   ///< longest chain of additions that a number goes through
  std::string shape;        ///< in words: "32 lanes and a tree"
};

/// The promises of a kernel about its arithmetic, which depend on the Case.
struct Contract {
  DType storage = DType::f32;
  DType accumulation = DType::f32;
  DType scalar = DType::f32;
  std::vector<Reduction> reductions;
  Variance variance = Variance::two_pass;
  bool affine_folded = false;  ///< y = x*alpha + (beta - mean*alpha) with alpha = gamma*rstd
  SwishForm swish = SwishForm::product;
  SigmoidComplement complement = SigmoidComplement::reflected;
  /// Swish's adjoint is (dy s) (1 + z (1-s)), rather than dy times the finished derivative: where
  /// dy s underflows, its error is magnified by the second factor.
  bool cotangent_first = false;
  NormBackward backward = NormBackward::standardized;
  /// The gradient of a scale s right in front of a BatchNorm of the batch's own statistics is
  /// weight rstd^3 eps sum (g - S1/N) (x - mean of x), not the sum of x times the norm's s d_x,
  /// which is the same but for what the terms cancel: eps rstd^2 of them is left.
  bool scale_in_closed_form = false;
  RunningUpdate running = RunningUpdate::weighted;
  /// A float32 result below the smallest normal number may become 0, and an operand there may count
  /// as 0; float64 never does so. Numbers that are only copied keep their bits.
  bool flush_to_zero = false;
  double exp_error = 1;      ///< relative error of exp in units of u; 0: there is none
  double rsqrt_error = 1.5;  ///< relative error of 1/sqrt(w) in units of u
  bool deterministic = true;

  /// Throws InstrumentError for a name that the contract does not declare.
  const Reduction& reduction(const std::string& name) const;

  /// The sentence of a verdict: "two-pass, 32 lanes and a tree, exp 2u".
  std::string why() const;
};

/// The longest chain of inexact additions of `length` numbers in `lanes` sequential sums that a
/// binary tree joins: min(N-1, ceil(N/L) - 1 + ceil(log2 min(N,L))); 0 for an empty sum.
std::int64_t tree_chain(std::int64_t length, std::int64_t lanes);

}  // namespace gradproof
