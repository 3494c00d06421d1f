// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "judge/systems.h"
#include "kernels/harness/counted_run.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// The results of a computation of a graph.
struct Computed {
  Tensors tensors;  ///< outputs, and gradients where there are any, by name
  std::vector<simt::Finding> findings = {};  ///< what is wrong with the run itself
  ByName<std::string> again = {};  ///< digests of a second run; empty: no bits are promised
  CountedRun counted = {};         ///< additions of a kernel's own source
};

/// A program that computes a graph from its tensors and a cotangent "dy" of each output y.
/// LibTorch's operators are one, a user's own kernel is another: all are judged alike.
struct Accused {
  std::string who;
  std::function<Computed(const GraphClaim&, const Tensors& inputs)> compute;
};

/// LibTorch's operators for a graph in braces, else the kernel that the Case names. `compute` of
/// the operators throws NoOperator (oracles/libtorch/graph.h), that of a kernel simt::NoDevice.
Accused accused_of(const Systems& systems, const Case& c);

}  // namespace gradproof
