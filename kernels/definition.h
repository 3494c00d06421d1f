// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "kernels/call.h"

namespace gradproof {

class Case;
struct Contract;
struct Factor;
struct Graph;

/// The types that one instance of a kernel is compiled for.
struct ElementTypes {
  DType dtype;       ///< of inputs and outputs
  DType parameters;  ///< of parameters and running statistics
};

/// The entry points of one unit, and all types for which the unit is compiled.
struct UnitEntry : EntryPoints {
  std::vector<ElementTypes> types;
};

/// A kernel as its .cu describes it: keys of the Case line, refusals, tensors, claim and the
/// operator's schema follow from it (kernels/catalog). Every unit of the .cu yields one, with the
/// entry points of that unit.
struct KernelDefinition {
  const char* word = "";
  const char* formula = "";  ///< of y, for people
  /// A line of the language of graphs (docs/graphs.md) with the input x and the output y. Its
  /// numbers are the defaults of the Case line's keys.
  const char* pipeline = "";
  /// Returns the kernel's promise about its reductions and forms.
  Contract (*contract)(const Graph& pipeline, const Case& c) = nullptr;
  /// Returns the size of the scratch memory of one pass in bytes.
  std::size_t (*workspace)(const Graph& pipeline, const Call& call) = nullptr;
  /// Returns the sizes on both sides of each limit where the kernel's path changes.
  std::vector<Factor> (*limits)(const Graph& pipeline, DType dtype) = nullptr;
  UnitEntry entry = {};
};

/// The definition from one unit, as the lists that CMake writes hold it (gradproof_kernel_list).
struct KernelUnit {
  std::string unit;
  KernelDefinition kernel;
};

}  // namespace gradproof
