// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "core/graph/graph.h"

namespace gradproof {

/// The names of a cotangent and of a gradient: "dy" for the output y, "d_x" for the tensor x.
std::string cotangent_name(std::string_view output);
std::string gradient_name(std::string_view tensor);
/// The name of the tensor whose gradient has that name.
std::string tensor_of_gradient(std::string_view gradient);

/// Why the graph's outputs cannot be what they are: no value, one twice, a value or a tensor that
/// nobody uses. Empty where they can.
std::string fault_of_outputs(const Graph& graph);

/// Why nothing of that name can be fixed, and drawn so; the tensor is null where it is a value.
std::string fault_of_fixed(const std::string& name, FixedKind kind, const GraphTensor* tensor);

/// Why a step cannot take a tensor of labels. Empty where all labels stand where they may.
std::string fault_of_labels(const Graph& graph);

/// Why the axes that the text says of a step's value are not those that the step leaves, which only
/// a product over axes of the text has in another order. Empty where they may be, or are not said.
std::string fault_of_order(const GraphStep& step, const std::vector<std::string>& axes);

/// Why a name of the graph means two things, empty where each means one: a tensor and a value; an
/// axis, where the text could not say that a tensor or value is meant; a cotangent or a gradient,
/// which have their names from outputs and tensors.
std::string fault_of_names(const Graph& graph);

}  // namespace gradproof
