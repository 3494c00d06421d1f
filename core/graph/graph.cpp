// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/schema.h"
#include "core/error.h"
#include "core/graph/axes/moves.h"
#include "core/graph/stages.h"
#include "core/graph/text/written_call.h"

namespace gradproof {
namespace {

const StageOption* option_of(const GraphStep& s, std::string_view key) {
  for (const StageOption& o : graph_stage(s.stage).options)
    if (o.key == key) return &o;
  throw InstrumentError(fmt::format("{} has no option '{}'", s.stage, key));
}

}  // namespace

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double GraphStep::number(std::string_view key) const {
  const StageOption* const o = option_of(*this, key);
  const auto found = options.find(key);
  double wanted = o->initial;
  if (found != options.end()) parse_double(found->second, wanted);
  return wanted;
}

std::int64_t GraphStep::number_along(std::string_view key, std::size_t k) const {
  const auto found = options.find(key);
  if (found == options.end()) return static_cast<std::int64_t>(option_of(*this, key)->initial);
  std::string_view rest = found->second;
  for (std::size_t cut = rest.find('x'); k > 0 && cut != rest.npos; --k, cut = rest.find('x'))
    rest.remove_prefix(cut + 1);
  double wanted = 0;
  parse_double(std::string(rest.substr(0, rest.find('x'))), wanted);
  return static_cast<std::int64_t>(wanted);
}

bool GraphStep::takes(std::string_view name) const {
  return std::any_of(operands.begin(), operands.end(),
                     [&](const GraphOperand& o) { return !o.is_number() && o.name == name; });
}

std::string GraphStep::word(std::string_view key) const {
  const StageOption* const o = option_of(*this, key);
  const auto found = options.find(key);
  return found != options.end() ? found->second : std::string(o->words.front());
}

const std::vector<std::string>& Graph::axes_of(std::string_view name) const {
  for (const GraphTensor& t : tensors)
    if (t.name == name) return t.axes;
  for (const GraphStep& s : steps)
    if (s.value == name) return s.value_axes;
  throw InstrumentError(fmt::format("no tensor and no value '{}'", name));
}

namespace {

/// The extent that a window along an axis leaves of it. Throws UsageError where it is wider.
std::int64_t extent_of_window(const GraphAxis& a, const GraphExtents& all) {
  const std::int64_t from = all.at(a.from);
  const std::int64_t taps = a.window_axis.empty() ? a.window : all.at(a.window_axis);
  const std::int64_t window = a.dilation * (taps - 1) + 1;
  const std::int64_t room = from + 2 * a.padding - window;
  const std::int64_t wide = (from - 1) * a.stride - 2 * a.padding + window + a.more;
  if (a.is_wider ? wide < 1 : room < 0)
    throw UsageError(fmt::format("window={} is wider than axis '{}' of {}", window, a.from, from));
  return a.is_wider ? wide : room / a.stride + 1;
}

std::int64_t extent_of(const GraphAxis& a, const GraphExtents& all) {
  std::int64_t sum = a.more;
  std::int64_t product = 1;
  for (const std::string& axis : a.of) {
    sum += all.at(axis);
    product *= all.at(axis);
  }
  switch (a.rule) {
    case AxisRule::given:
      if (!all.contains(a.name)) throw InstrumentError(fmt::format("no extent of '{}'", a.name));
      return all.at(a.name);
    case AxisRule::window:
      return extent_of_window(a, all);
    case AxisRule::sum:
      return std::max<std::int64_t>(0, (sum + a.stride - 1) / a.stride);
    case AxisRule::product:
      return product;
    case AxisRule::quotient:
      return all.at(a.of[1]) > 0 ? all.at(a.of[0]) / all.at(a.of[1]) : 0;
  }
  return 0;
}

}  // namespace

std::vector<std::string> GraphAxis::needed() const {
  std::vector<std::string> axes = of;
  if (rule == AxisRule::window) axes.push_back(from);
  if (!window_axis.empty()) axes.push_back(window_axis);
  return axes;
}

GraphExtents Graph::extents(const GraphExtents& said) const {
  GraphExtents all = said;
  for (const GraphAxis& a : axes) all[a.name] = extent_of(a, all);
  for (const GraphStep& s : steps)
    if (const std::string fault = fault_of_move(s, all); !fault.empty()) throw UsageError(fault);
  return all;
}

namespace {

/// Writes steps one after the other: the axes that the text says of a tensor stand at its first
/// use.
class StepWriter {
 public:
  explicit StepWriter(const Graph& graph) : graph_(graph) {}

  std::string words(const GraphStep& s) {
    std::vector<std::string> arguments;
    for (const GraphOperand& o : s.operands) arguments.push_back(operand(o));
    if (s.axes_said) arguments.insert(arguments.end(), s.axes.begin(), s.axes.end());
    arguments.insert(arguments.end(), s.made.begin(), s.made.end());
    for (const auto& [key, value] : s.options) arguments.push_back(key + "=" + value);
    return fmt::format("{}({})", s.stage, fmt::join(arguments, ", "));
  }
  static std::string value(const GraphStep& s) {
    return s.order_said ? fmt::format("{}[{}]", s.value, fmt::join(s.value_axes, ",")) : s.value;
  }

 private:
  std::string operand(const GraphOperand& o) {
    if (o.is_number()) return fmt::format("{}", o.number);
    for (const GraphTensor& t : graph_.tensors) {
      const bool is_fixed = t.part == TensorPart::fixed;
      if (t.name != o.name || !(t.declared || is_fixed) || !seen_.insert(o.name).second) continue;
      const std::string text =
          t.declared ? fmt::format("{}[{}]", o.name, fmt::join(t.axes, ",")) : o.name;
      return is_fixed ? fixed_text(text, t.kind) : text;
    }
    return o.name;
  }

  const Graph& graph_;
  std::set<std::string> seen_;
};

std::string text_of(const GraphDefinition& d) {
  std::vector<std::string> parameters = d.operands;
  for (const auto& [key, initial] : d.numbers)
    parameters.push_back(fmt::format("{}={}", key, initial));
  return fmt::format("{}({}) := {}; ", d.word, fmt::join(parameters, ", "), d.body);
}

}  // namespace

const GraphStep* Graph::call_of(const GraphStep& step) const {
  for (const GraphStep& call : calls)
    if (call.value == step.call) return &call;
  return nullptr;
}

std::vector<std::string> step_texts(const Graph& graph) {
  StepWriter writer(graph);
  std::vector<std::string> texts;
  for (const GraphStep& s : graph.steps) texts.push_back(writer.words(s));
  return texts;
}

std::string to_string(const Graph& graph) {
  StepWriter writer(graph);
  std::string text;
  for (const GraphDefinition& d : graph.definitions) text += text_of(d);
  std::string between;
  for (const GraphStep& s : graph.steps) {
    const GraphStep* const call = graph.call_of(s);
    if (call != nullptr && call->value != s.value) continue;
    text += between + StepWriter::value(s) + " = " + writer.words(call != nullptr ? *call : s);
    between = "; ";
  }
  if (graph.outputs_said) text += fmt::format("; outputs {}", fmt::join(graph.outputs, " "));
  return text;
}

}  // namespace gradproof
