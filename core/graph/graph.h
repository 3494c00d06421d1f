// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/tensor_part.h"
#include "core/tensor/tensor.h"

namespace gradproof {

/// An operand of a step: a tensor or an earlier value by name, or a number, whose name is empty.
struct GraphOperand {
  std::string name;
  double number = 0;

  bool is_number() const { return name.empty(); }
  friend bool operator==(const GraphOperand&, const GraphOperand&) = default;
};

/// The rule by which an axis has its extent.
///   given     the Case says it
///   window    a window of w = dilation (window - 1) + 1 numbers slid over the axis `from` of n
///             numbers: (n + 2 padding - w) / stride + 1
///             where a transposed convolution widens it: (n - 1) stride - 2 padding + w + more
///             (GraphAxis has these numbers)
///   sum       of `more` and the extents of `of`, over the stride and rounded up
///   product   of the extents of `of`
///   quotient  the first of them over the second
enum class AxisRule { given, window, sum, product, quotient };

/// An axis of tensors and values.
struct GraphAxis {
  std::string name;
  AxisRule rule = AxisRule::given;
  std::string from = {};  ///< the axis that a window slides over
  std::int64_t window = 1;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  std::string window_axis = {};  ///< the axis that has the window's extent; empty: it is `window`
  bool is_wider = false;
  std::int64_t more = 0;
  std::vector<std::string> of = {};

  bool is_given() const { return rule == AxisRule::given; }
  /// The axes from which the extent follows.
  std::vector<std::string> needed() const;
  friend bool operator==(const GraphAxis&, const GraphAxis&) = default;
};

bool has_name(const std::vector<std::string>& names, std::string_view name);

/// The extents of axes, by name.
using GraphExtents = std::map<std::string, std::int64_t, std::less<>>;

/// A tensor that no step of the graph computes.
struct GraphTensor {
  std::string name;
  TensorPart part = TensorPart::input;
  std::vector<std::string> axes;
  bool declared = false;  ///< the text says its axes; else they follow from its first use
  FixedKind kind = FixedKind::filled;
  friend bool operator==(const GraphTensor&, const GraphTensor&) = default;
};

/// value = stage(operands, axes, key=text): single assignment.
struct GraphStep {
  std::string value;
  std::string stage;  ///< the word of its row (core/graph/stages.h)
  std::vector<GraphOperand> operands;
  std::vector<std::string> axes;       ///< that it works over, those said or the row's
  bool axes_said = false;              ///< the text names them
  std::vector<std::string> made = {};  ///< axes that a move makes, as the text names them
  std::map<std::string, std::string, std::less<>> options;  ///< that the text says, canonical
  std::vector<std::string> value_axes;                      ///< of its value
  std::string call = {};    ///< of a step that a defined stage consists of: the value of its call
  bool order_said = false;  ///< the text has the value's axes in an order of its own

  /// The option as a number, the row's default where the text does not say it.
  double number(std::string_view key) const;
  /// The option's number for the k-th of the axes that the step works over.
  std::int64_t number_along(std::string_view key, std::size_t k) const;
  std::string word(std::string_view key) const;
  bool takes(std::string_view tensor_or_value) const;
  friend bool operator==(const GraphStep&, const GraphStep&) = default;
};

/// A stage that the text itself defines by others. A call of it is as many steps as it has stages:
/// the last one makes the call's value y, the others y.h of a value h, and y.v1, y.v2 of nested
/// calls.
struct GraphDefinition {
  std::string word;
  std::vector<std::string> operands;
  std::vector<std::pair<std::string, double>>
      numbers;       ///< with what they are where a call is silent
  std::string body;  ///< canonical text
  friend bool operator==(const GraphDefinition&, const GraphDefinition&) = default;
};

/// A computation as a graph: tensors, steps in order, and which values are its outputs. Backward is
/// given a cotangent for each output, and every input and parameter has a gradient.
struct Graph {
  std::vector<GraphTensor> tensors;  ///< in the order of their first use
  std::vector<GraphAxis> axes;       ///< in the order of their first use
  std::vector<GraphStep> steps;
  std::vector<GraphDefinition> definitions;
  std::vector<GraphStep> calls;  ///< of the definitions: value, word, operands, options
  std::vector<std::string> outputs;
  bool outputs_said = false;

  /// The call that the step is part of; null where the text has the step itself.
  const GraphStep* call_of(const GraphStep& step) const;
  const std::vector<std::string>& axes_of(std::string_view tensor_or_value) const;
  /// The extents of all axes, from those that a Case says. Throws UsageError for a window wider
  /// than its axis, and for extents that a move does not leave.
  GraphExtents extents(const GraphExtents& said) const;
  friend bool operator==(const Graph&, const Graph&) = default;
};

/// Reads `x -> scale(s) -> tanh -> y` or `h = add(x, residual); y = rms_norm(h, weight, eps=1e-6)`.
/// docs/graphs.md has the grammar. Throws UsageError with the text and the choices.
Graph parse_graph(std::string_view text);

/// The words of each step: "softmax(x, cols)".
std::vector<std::string> step_texts(const Graph& graph);

/// The canonical text: definitions, then one assignment a step. parse_graph(to_string(g)) == g is a
/// law.
std::string to_string(const Graph& graph);

}  // namespace gradproof
