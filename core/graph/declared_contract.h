// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/claim/contract.h"
#include "core/claim/sum_order.h"
#include "core/graph/graph.h"

namespace gradproof {

/// What somebody says of code that computed given tensors: `KEY=WORD`, with commas or blanks
/// between; what is not said is the first word.
///   stored=outputs|none|all   values that are rounded to the storage type, and may be read so by
///                             later steps and by the adjoint: the outputs; none; each value, and
///                             each gradient on the way; or h+y, those of that name
///   functions=usual|libtorch  errors of exp, erf and the like: those of the usual libraries; or of
///                             LibTorch's vectors on the CPU
///   variance=any|two_pass|welford|one_pass
///   sums=any|pairwise|lanes:L|blocks:B   the order of every sum (SumOrder)
struct DeclaredContract {
  bool stored_values = false;             ///< all
  std::vector<std::string> stored_names;  ///< else these
  bool libtorch_functions = false;
  std::vector<Variance> variances{Variance::two_pass, Variance::welford, Variance::one_pass};
  SumOrder sums;
};

/// Of code that computes the graph. Throws UsageError that names the part and the choices.
DeclaredContract parse_declared_contract(std::string_view text, const Graph& graph);

}  // namespace gradproof
