// SPDX-License-Identifier: Apache-2.0
#include "core/graph/python/python_source.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/graph/axes/operand_axes.h"
#include "core/graph/python/python_axes.h"
#include "core/graph/python/python_expression.h"
#include "core/graph/python/python_names.h"
#include "core/graph/stages.h"

namespace gradproof {
namespace {

using Axes = std::vector<std::string>;
using Words = PythonWords;

/// Keywords of Python, and the names that the module itself takes.
constexpr std::array<std::string_view, 41> kTaken{
    "False",  "None",     "True",    "and",    "as",       "assert",   "async",
    "await",  "break",    "class",   "def",    "del",      "elif",     "else",
    "except", "finally",  "for",     "from",   "if",       "import",   "in",
    "is",     "global",   "lambda",  "not",    "nonlocal", "or",       "pass",
    "try",    "raise",    "return",  "while",  "with",     "yield",    "torch",
    "F",      "continue", "forward", "INPUTS", "OUTPUTS",  "itertools"};

/// The running variance with a divisor other than N - 1, the only one of torch's BatchNorm.
constexpr std::string_view kMovedVariance =
    "{var} * (1 - {momentum}) + torch.var({x}.detach(), {dims}, correction={correction}) * "
    "{momentum}";

class PythonWriter {
 public:
  PythonWriter(const Graph& graph, const GraphExtents& extents, DType storage)
      : graph_(graph), extents_(extents), storage_(storage) {
    for (const GraphTensor& t : graph.tensors) choose_name(t.name);
    for (const GraphStep& s : graph.steps) choose_name(s.value);
  }

  std::string module() const {
    std::vector<std::string> arguments, results;
    for (const GraphTensor& t : graph_.tensors) arguments.push_back(names_.at(t.name));
    for (const std::string& output : graph_.outputs) results.push_back(names_.at(output));
    std::string body;
    for (const GraphStep& s : graph_.steps)
      body += fmt::format("    {} = {}\n", names_.at(s.value), expression(s));
    return fmt::format(
        "# {}\n{}import torch\nimport torch.nn.functional as F\n\n{}\n\ndef forward({}):\n"
        "{}    return {}\n",
        to_string(graph_), body.find("itertools.") == body.npos ? "" : "import itertools\n",
        python_names(graph_), fmt::join(arguments, ", "), body, tuple_text(results));
  }

 private:
  /// Chooses an identifier that nothing else has.
  void choose_name(const std::string& name) {
    std::string own = name;
    std::replace(own.begin(), own.end(), '.', '_');
    const auto taken = [&] {
      return std::find(kTaken.begin(), kTaken.end(), own) != kTaken.end() || used_.contains(own);
    };
    while (taken()) own += "_";
    used_.insert(own);
    names_.emplace(name, own);
  }

  std::string number_text(double number) const { return python_number(number, storage_); }

  const Axes& axes(const GraphStep& s, std::size_t k) const {
    return graph_.axes_of(s.operands.at(k).name);
  }

  std::vector<std::int64_t> sizes(const Axes& of) const {
    std::vector<std::int64_t> all;
    for (const std::string& axis : of) all.push_back(extents_.at(axis));
    return all;
  }

  std::string operand(const GraphStep& s, std::size_t k) const {
    const GraphOperand& o = s.operands[k];
    return o.is_number() ? number_text(o.number) : names_.at(o.name);
  }

  /// Operands and options by the row's words; an operand that is left out is None.
  Words words_of(const GraphStep& s, const GraphStage& row) const {
    Words words;
    for (std::size_t k = 0; k < row.operands.size(); ++k)
      words.emplace(row.operands[k].word, k < s.operands.size() ? operand(s, k) : "None");
    for (const StageOption& o : row.options)
      if (!o.each_axis)
        words.emplace(o.key, !o.words.empty() ? fmt::format("\"{}\"", s.word(o.key))
                             : o.whole
                                 ? fmt::format("{}", static_cast<std::int64_t>(s.number(o.key)))
                                 : number_text(s.number(o.key)));
    words.emplace("type", python_type(storage_));
    return words;
  }

  std::string expression(const GraphStep& s) const {
    const GraphStage& row = graph_stage(s.stage);
    Words words = words_of(s, row);
    switch (row.form) {
      case StageForm::elementwise:
        return elementwise(s, row, std::move(words));
      case StageForm::normalises:
        return normalised(s, row, std::move(words));
      case StageForm::reduces:
        return reduced(s, row, std::move(words));
      case StageForm::slides:
        return pooled(s, row, std::move(words));
      case StageForm::contracts:
        if (row.convolves())
          take_along(s, row, s.axes, words);
        else
          words["equation"] = fmt::format("\"{}\"", einsum_equation(graph_, s));
        [[fallthrough]];
      case StageForm::selects:
        return filled(row.libtorch, words);
      case StageForm::turns:
        for (std::size_t k = 1; k < s.operands.size(); ++k)
          words[std::string(row.operands[k].word)] =
              aligned_text(operand(s, k), axes(s, k), axes(s, 0));
        return filled(row.libtorch, words);
      case StageForm::scans:
      case StageForm::sorts:
        return scanned(s, row, std::move(words));
      case StageForm::moves:
        return row.takes_labels() ? python_by_labels(graph_, extents_, s, words, storage_)
                                  : python_move(graph_, extents_, s, std::move(words));
    }
    throw InstrumentError("no Python for " + s.stage);
  }

  std::string elementwise(const GraphStep& s, const GraphStage& row, Words words) const {
    if (s.stage == "round_to") return python_rounding(s, words["x"], storage_);
    if (s.operands.size() == 1) return filled(row.libtorch, words);
    for (std::size_t k = 0; k < s.operands.size(); ++k)
      if (!s.operands[k].is_number())
        words[std::string(row.operands[k].word)] =
            aligned_text(operand(s, k), axes(s, k), s.value_axes);
    // torch.minimum takes tensors alone.
    const bool limits = s.stage == "minimum" || s.stage == "maximum";
    for (std::size_t k = 0; limits && k < s.operands.size(); ++k)
      if (s.operands[k].is_number())
        return fmt::format("torch.clamp({}, {}={})", words[k == 0 ? "other" : "x"],
                           s.stage == "minimum" ? "max" : "min", operand(s, k));
    const bool is_of_numbers =
        s.stage == "where" && s.operands[1].is_number() && s.operands[2].is_number();
    return filled(row.libtorch, words) + (is_of_numbers ? ".to(" + words["type"] + ")" : "");
  }

  std::string scanned(const GraphStep& s, const GraphStage& row, Words words) const {
    const std::int64_t dim = place_among(axes(s, 0), s.axes.front());
    words["dim"] = std::to_string(dim);
    if (row.operands.size() == 1) return filled(row.libtorch, words);
    if (s.operands.size() < 3)
      words["initial"] = fmt::format("torch.zeros_like({}.select({}, 0))", words["x"], dim);
    words["factor"] =
        fmt::format("{}.expand({})", aligned_text(operand(s, 1), axes(s, 1), axes(s, 0)),
                    fmt::join(sizes(axes(s, 0)), ", "));
    return filled(row.libtorch, words);
  }

  std::string reduced(const GraphStep& s, const GraphStage& row, Words words) const {
    const bool is_running = row.axes == StageAxes::rest;
    const bool moved = is_running && s.stage == "running_var" && s.number("correction") != 1;
    if (is_running && !moved) return filled(row.libtorch, words);
    std::vector<std::int64_t> dims;
    for (const std::string& axis : s.axes)
      if (has_name(axes(s, 0), axis)) dims.push_back(place_among(axes(s, 0), axis));
    if (dims.empty()) {  // an axis that is gone has length 1; no axes at all would mean all
      words["x"] += ".unsqueeze(0)";
      dims = {0};
    }
    words["dims"] = tuple_text(dims);
    if (moved) return filled(kMovedVariance, words);
    return of_rows(s, row, std::move(words), "{dims}", false);
  }

  std::string normalised(const GraphStep& s, const GraphStage& row, Words words) const {
    if (row.axes != StageAxes::last) return filled(row.libtorch, words);
    const Axes order = with_axes_last(axes(s, 0), s.axes);
    const Axes over(order.end() - std::ssize(s.axes), order.end());
    const std::size_t kept = order.size() - over.size();
    words["x"] = aligned_text(words["x"], axes(s, 0), order);
    words["shape"] = tuple_text(sizes(over));
    words["dim"] = std::to_string(kept);
    if (row.is_norm()) return aligned_text(filled(row.libtorch, words), order, axes(s, 0));
    if (over.size() > 1) words["x"] += fmt::format(".flatten({})", kept);
    const std::string flat = of_rows(s, row, std::move(words), "{dim}", true);
    if (over.size() == 1) return aligned_text(flat, order, axes(s, 0));
    return aligned_text(fmt::format("{}.view({})", flat, fmt::join(sizes(order), ", ")), order,
                        axes(s, 0));
  }

  /// Sets the words of options that have a number for each of these axes.
  static void take_along(const GraphStep& s, const GraphStage& row, const Axes& axes,
                         Words& words) {
    for (const StageOption& o : row.options) {
      if (!o.each_axis) continue;
      std::vector<std::int64_t> along;
      for (const std::string& axis : axes)
        along.push_back(s.number_along(o.key, static_cast<std::size_t>(place_among(s.axes, axis))));
      words[std::string(o.key)] = tuple_text(along);
    }
    words["n"] = std::to_string(axes.size());
  }

  std::string pooled(const GraphStep& s, const GraphStage& row, Words words) const {
    const Axes order = with_axes_last(axes(s, 0), s.axes);
    const Axes value = [&] {  // the value's axes in that order
      Axes all;
      for (const std::string& axis : order)
        all.push_back(s.value_axes[static_cast<std::size_t>(place_among(axes(s, 0), axis))]);
      return all;
    }();
    const Axes over(order.end() - std::ssize(s.axes), order.end());
    take_along(s, row, over, words);
    if (s.number_along(kStride, 0) == 0) words["stride"] = words["window"];
    words["x"] = fmt::format("{}.reshape(1, -1, {})", aligned_text(words["x"], axes(s, 0), order),
                             fmt::join(sizes(over), ", "));
    return aligned_text(
        fmt::format("{}.reshape({})", filled(row.libtorch, words), fmt::join(sizes(value), ", ")),
        order, axes(s, 0));
  }

  const Graph& graph_;
  const GraphExtents& extents_;
  DType storage_;
  Words names_;
  std::set<std::string> used_;
};

}  // namespace

std::string python_source(const Graph& graph, const GraphExtents& extents, DType storage) {
  return PythonWriter(graph, extents, storage).module();
}

}  // namespace gradproof
