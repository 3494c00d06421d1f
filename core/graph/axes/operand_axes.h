// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/stages.h"

namespace gradproof {

/// The axes of an operand whose text says none; `first` are those of the step's first operand.
std::vector<std::string> axes_for(const StageOperand& place, const GraphStep& step,
                                  const std::vector<std::string>& first);

/// The axes that a product leaves of those of its factors: the first one's, then the second one's.
std::vector<std::string> axes_of_product(const GraphStep& step,
                                         const std::vector<std::string>& first,
                                         const std::vector<std::string>& second);

/// The axes of a product (StageForm::contracts) but those that all of operands and value have.
struct ProductAxes {
  std::vector<std::string> summed;          ///< of both factors; the value lacks them
  std::vector<std::string> of_first = {};   ///< of the first factor and the value
  std::vector<std::string> of_second = {};  ///< of the second factor and the value
};
ProductAxes product_axes(const Graph& graph, const GraphStep& step);

/// The product as torch.einsum has it: "abc,acd->abd". Throws UsageError for more axes than there
/// are letters.
std::string einsum_equation(const Graph& graph, const GraphStep& step);

/// Names of all operands in the order of the text: those of a call before those of its steps.
std::vector<std::string> operand_names(const Graph& graph);

bool is_axis(const Graph& graph, std::string_view name);

/// The names of the axes that are known, and of those of tensors.
std::vector<std::string> axis_names(const Graph& graph);

/// The names, of which a repeated one gets the first number behind it that makes it new: a, a
/// becomes a, a2.
std::vector<std::string> made_distinct(const std::vector<std::string>& axes);

/// The axes that a stage works over where the text names none; `first`, those of the first operand,
/// are not empty. There are none where the stage has none, or the text must name them.
std::vector<std::string> default_axes(const GraphStage& row, const std::vector<std::string>& first);

/// True if the stage works over the axes that it has by default and over no others: its operator in
/// LibTorch and its formula know no others.
bool has_fixed_axes(const GraphStage& row);

/// The axes of both: the wider one gives the order.
std::vector<std::string> joined_axes(const std::vector<std::string>& one,
                                     const std::vector<std::string>& other);

/// The axis itself, or the one that windows made it of.
std::string root_axis(const Graph& graph, const std::string& axis);

/// The axis of that name among some axes, or the one that a window made of it; the name itself
/// where there is none.
std::string axis_among(const Graph& graph, const std::vector<std::string>& axes,
                       const std::string& name);

/// True if this tensor, or one that the value comes from, has the axis or one windows made of it.
bool comes_from_axis(const Graph& graph, const std::string& name, const std::string& axis);

/// The count of numbers in a step's window, along all its axes.
std::int64_t taps_of_window(const GraphStep& step);

/// The axis that a step's window makes of the axis.
GraphAxis successor(const GraphStep& step, const std::string& axis);

}  // namespace gradproof
