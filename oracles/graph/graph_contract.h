// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/claim/contract.h"
#include "core/tensor/dtype.h"
#include "oracles/graph/function_errors.h"

namespace gradproof {

/// What code that computes a graph promises about its arithmetic. The defaults are those of code that
/// declares nothing: sums in any order, and of each step every form that occurs in practice.
struct GraphContract {
  DType storage = DType::f32;
  DType accumulation = DType::f32;
  bool stored_values = true;  ///< every operator's result is rounded to the storage type
  std::vector<Variance> variances{Variance::two_pass, Variance::welford, Variance::one_pass};
  FunctionErrors functions;
  double rsqrt_error = 2;  ///< relative error of 1/sqrt(w) in units of u

  /// The sentence of a verdict.
  std::string why() const;
};

/// LibTorch's operators on the CPU, one after the other.
GraphContract libtorch_graph_contract(DType storage);

}  // namespace gradproof
