// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/python/python_expression.h"
#include "core/tensor/dtype.h"

namespace gradproof {

/// The text of a tuple in Python: (3,) or (2, 3).
template <class Range>
std::string tuple_text(const Range& items) {
  return fmt::format("({}{})", fmt::join(items, ", "), std::size(items) == 1 ? "," : "");
}

std::int64_t place_among(const std::vector<std::string>& axes, const std::string& axis);

/// The axes with those of `last` moved to the end; both groups keep the order that they have.
std::vector<std::string> with_axes_last(const std::vector<std::string>& axes,
                                        const std::vector<std::string>& last);

/// The expression of a tensor in the order of other axes: permuted, with 1 where it lacks one.
std::string aligned_text(std::string text, const std::vector<std::string>& from,
                         const std::vector<std::string>& to);

/// The expression of a move. `words` has those of its operands and options.
std::string python_move(const Graph& graph, const GraphExtents& extents, const GraphStep& step,
                        PythonWords words);

/// The expression of a step that takes labels; `storage` is the type of a count.
std::string python_by_labels(const Graph& graph, const GraphExtents& extents, const GraphStep& step,
                             const PythonWords& words, DType storage);

}  // namespace gradproof
