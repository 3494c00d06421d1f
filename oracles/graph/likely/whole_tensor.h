// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "oracles/graph/judge_graph.h"

namespace gradproof {

/// Errors of a tensor's elements together, beside what they typically are (docs/likely.md).
struct WholeTensor {
  double root_mean_square = 0;  ///< of error/typical
  double most = 0;              ///< that is permitted
  std::int64_t groups = 1;      ///< of elements with errors of their own

  bool is_beyond() const { return root_mean_square > most; }
};

/// The number of groups of a tensor's elements with errors of their own: elements
/// along an axis that any step sums over or normalises may have one error in common. `tensor` is an
/// output or a gradient ("d_x").
std::int64_t independent_groups(const GraphClaim& claim, std::string_view tensor);

/// The root mean square that as many standard normal numbers exceed with a probability
/// of 1e-12, by the approximation of Wilson and Hilferty (1931) of a chi-square
/// quantile.
double most_root_mean_square(std::int64_t groups);

/// True if whole_tensors() may find the tensor beyond; `likely` is its discrepancy by likely
/// errors. Typical errors are at least an eighth of these, which decides most tensors: false.
bool may_be_beyond(const GraphClaim& claim, std::string_view tensor, const Discrepancy& likely);

/// Judges the whole tensors of which all elements passed by likely errors.
std::map<std::string, WholeTensor, std::less<>> whole_tensors(GraphClaim claim,
                                                              const Tensors& inputs,
                                                              const JudgedTensors& got);

}  // namespace gradproof
