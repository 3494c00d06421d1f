// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "core/graph/graph.h"

namespace gradproof {

/// True if a part of the output or gradient along the axis is what the graph makes of that part of
/// all tensors and cotangents with the axis: of y = contract(a[m,k], b[k,n], k) the rows m of y
/// follow from the same rows of a, and the rows k of d_b = sum over m of a dy from the same columns
/// of a, though y is a sum over k. An axis that windows or moves make is along no tensor, and has
/// no such parts.
bool is_apart(const Graph& graph, std::string_view target, std::string_view axis);

}  // namespace gradproof
