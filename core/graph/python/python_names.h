// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/graph/graph.h"
#include "core/tensor/dtype.h"

namespace gradproof {

/// A number of a graph, rounded to the type that `storage` is computed in.
double computed_in(DType storage, double number);

/// The function writes computed_in() of the number as a literal of Python.
std::string python_number(double number, DType storage);

/// torch's name of a type.
std::string python_type(DType type);

/// The function defines in Python how a graph's tensors and outputs are called:
///   INPUTS   for each tensor, in the graph's order, its name and that of its gradient, or None
///   OUTPUTS  for each output its value and the name of its cotangent
std::string python_names(const Graph& graph);

}  // namespace gradproof
