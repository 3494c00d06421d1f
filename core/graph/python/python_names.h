// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/graph/graph.h"
#include "core/tensor/dtype.h"

namespace gradproof {

/// A number as Python writes it, rounded to the type that `storage` is computed in.
std::string python_number(double number, DType storage);

/// What a graph's tensors, outputs and numbers are called, as definitions of Python:
///   INPUTS   for each tensor, in the graph's order, its name and that of its gradient, or None
///   OUTPUTS  for each output its value and the name of its cotangent
///   AXES     for each tensor and output the names of its axes
///   NUMBERS  for each option and each operand that is a number its step's value, its word, itself
std::string python_names(const Graph& graph, DType storage);

}  // namespace gradproof
