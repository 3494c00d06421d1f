// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "core/tensor/dtype.h"
#include "properties/calibration/sizes/programs/addition_order.h"

namespace gradproof::programs {

/// The way in which a program obtains the statistics of a norm or a softmax; all ways are right.
enum class Form {
  usual,     ///< two passes
  one_pass,  ///< mean(x^2) - mean^2
  welford,   ///< running mean and M2, lanes merged in a tree
  online,    ///< a running maximum
  followed   ///< the maximum is differentiated too, as autograd does
};

/// A fault that a program has.
enum class Fault {
  none,
  operands_tf32,     ///< operands of long products (of a reduction its terms) have 11 bits
  operands_bf16,     ///< or those of bfloat16
  operands_half,     ///< or those of float16
  sums_half,         ///< each addition of a long sum is rounded to float16
  sums_bf16,         ///< or to bfloat16
  last_left_out,     ///< long sums lack their last term
  eight_left_out,    ///< or the last eight
  block_left_out,    ///< or the last block of 32
  row_left_out,      ///< sums of parameters' gradients lack their last row
  one_less,          ///< N - 1 in place of N
  eps_larger,        ///< 1e-5 in place of 1e-6
  eps_outside,       ///< added to the root
  exp_16,            ///< the exponential is rounded to 16 bits
  exp_rough,         ///< the exponential is up to 2e-5 off, differently at each argument
  quotient_rough,    ///< a quotient is 2e-5 off
  rstd_16,           ///< 1/std is rounded to 16 bits
  probabilities_16,  ///< so are the probabilities that a product takes
  stale_statistics,  ///< the last unit is computed by the statistics of the one before
  mean_term,         ///< the gradient lacks the mean of g
  projection_term,   ///< the gradient lacks the sum of g xhat, or of dy y
  broadcast,         ///< a gradient takes the first parameter, or cotangent, for all
  tanh_gelu          ///< GELU by tanh in place of erf
};

/// The fault in words: "operands in TF32".
std::string_view name_of(Fault fault);
/// The form in words: "two passes", "Welford".
std::string_view name_of(Form form);

/// True if the fault makes a program of this storage type wrong. Faults that are finer than a
/// rounding of 16 bits, and operands with all bits of the type, are faults of wider types alone.
bool is_wrong_in(Fault fault, DType storage);

/// One of the programs that compute a line.
struct Variant {
  AdditionOrder order = AdditionOrder::tree;
  Form form = Form::usual;
  Fault fault = Fault::none;
  bool eager = false;  ///< an operator at a time: what stands between two is rounded to storage

  /// The variant in words: "lanes 32", "chain, Welford", "N - 1 in place of N".
  std::string text() const;
};

}  // namespace gradproof::programs
