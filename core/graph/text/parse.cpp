// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/graph/axes/operand_axes.h"
#include "core/graph/options.h"
#include "core/graph/resolve.h"
#include "core/graph/stages.h"
#include "core/graph/text/definition.h"
#include "core/graph/text/tokens.h"
#include "core/graph/text/torch_words.h"

namespace gradproof {
namespace {

/// The limit of a line's steps, more than any line needs: definitions that take each other twice
/// double their steps at each level, and a line of a hundred words would fill the memory.
constexpr std::size_t kMostSteps = 4096;

/// The source of names for values that the text does not name.
struct Naming {
  std::string prefix;
  std::string text;  ///< which has none of them
  int made = 0;

  /// The next name, from v1 on, that the text does not contain.
  std::string next() {
    std::string candidate;
    do candidate = fmt::format("v{}", ++made);
    while (text.find(candidate) != std::string_view::npos);
    return prefix + candidate;
  }
};

class GraphReader {
 public:
  explicit GraphReader(std::string_view text) : tokens_(text), text_(text) {
    naming_.push_back({"", std::string(text)});
  }

  Graph read() {
    do {
      if (tokens_.peek() == '\0') break;
      statement();
    } while (tokens_.take(";"));
    if (tokens_.peek() != '\0') tokens_.refuse("';' or the end");
    if (graph_.steps.empty()) throw UsageError(fmt::format("no step in '{}'", text_));
    for (const Definition& d : definitions_)
      if (!used_.contains(d.word()))
        tokens_.fail(fmt::format("stage '{}' is defined, and never used", d.word()));
    return resolved(std::move(graph_), text_, fixed_);
  }

 private:
  void statement() {
    const std::size_t first = tokens_.place();
    const std::string word = tokens_.name("a tensor, a value or 'outputs'");
    if (word == "outputs" && starts_name(tokens_.peek())) return outputs();
    if (tokens_.take("=")) return assignment(word);
    tokens_.back_to(first);
    const WrittenArgument head_or_operand = read_argument(tokens_);
    const bool defines = tokens_.take(":=");
    if (!defines && head_or_operand.axes && tokens_.take("=")) {
      assignment(word);
      order(*head_or_operand.axes);
      return;
    }
    if (!defines) return chain(head_or_operand);
    definitions_.push_back(Definition(head_or_operand, tokens_, definitions_));
    graph_.definitions.push_back(definitions_.back().described());
  }

  void assignment(const std::string& value) {
    const std::string head = tokens_.name("a stage");
    tokens_.want("(");
    step(value, read_call(tokens_, head));
  }

  /// Notes the axes that the text says of the value that was made last.
  void order(const std::vector<std::string>& axes) {
    graph_.steps.back().value_axes = axes;
    graph_.steps.back().order_said = true;
  }

  void outputs() {
    graph_.outputs_said = true;
    while (starts_name(tokens_.peek())) {
      graph_.outputs.push_back(tokens_.name("a value"));
      tokens_.take(",");
    }
  }

  /// Reads `x -> stage(...) -> stage -> y` from behind x, which is `value`.
  void chain(WrittenArgument value) {
    if (!value.key.empty()) tokens_.refuse("'->'");
    std::optional<WrittenCall> last;
    std::string named;
    if (tokens_.peek() != '-') tokens_.refuse("'->' or '='");
    while (tokens_.take("->")) {
      const std::string word = tokens_.name("a stage or the value's name");
      const bool known = is_graph_stage(word) || find_definition(definitions_, word) != nullptr;
      if (tokens_.peek() != '(' && !known) {
        if (tokens_.peek() == '-') stage_beside(definitions_, word);  // says which may be meant
        named = word;
        break;
      }
      if (last) value = {.text = step("", *last)};
      WrittenCall call{word, {}};
      if (tokens_.take("(")) call = read_call(tokens_, word);
      call.arguments.insert(call.arguments.begin(), value);
      last = std::move(call);
    }
    if (!last) tokens_.refuse("a stage");
    step(named.empty() ? "y" : named, *last);
  }

  /// Adds the steps of a call, and returns the name of its value.
  std::string step(std::string value, const WrittenCall& call) {
    if (const Definition* const defined = find_definition(definitions_, call.stage))
      return steps_of(*defined, std::move(value), call);
    const GraphStage& row = stage_beside(definitions_, call.stage);
    GraphStep s;
    s.stage = row.word;
    for (const WrittenArgument& a : call.arguments) take(a, row, s);
    for (std::size_t k = s.operands.size(); k < row.operands.size(); ++k)
      if (!row.operands[k].optional)
        tokens_.fail(fmt::format("{} lacks its operand '{}'", row.word, row.operands[k].word));
    require_options(s, row, text_);
    if (row.moves()) axes_.insert(s.axes.begin(), s.axes.end());
    s.value = value.empty() ? naming_.back().next() : value;
    s.call = call_;
    if (!made_.insert(s.value).second)
      tokens_.fail(fmt::format("value '{}' is made twice", s.value));
    if (made_.size() > kMostSteps) tokens_.fail(fmt::format("more than {} steps", kMostSteps));
    graph_.steps.push_back(std::move(s));
    return graph_.steps.back().value;
  }

  void take(const WrittenArgument& a, const GraphStage& row, GraphStep& s) {
    if (!a.key.empty()) {
      take_option(s, row, a.key, a.text, text_);
    } else if (s.operands.size() < row.operands.size() && !is_axis(row, s, a)) {
      if (a.unbound)
        tokens_.fail(
            fmt::format("'{}' in a definition is no operand and no value of it, and no "
                        "axis of the line",
                        a.text));
      s.operands.push_back(operand(row.operands[s.operands.size()], row, a));
    } else if (a.is_name()) {
      s.axes.push_back(a.text);
      s.axes_said = true;
    } else {
      tokens_.fail(fmt::format("{} takes {} operand{}: '{}' is too many{}", row.word,
                               row.operands.size(), row.operands.size() == 1 ? "" : "s", a.text,
                               advice_on_number(graph_, row, s, a.text)));
    }
  }

  /// Adds the steps of a definition for one call of it, behind those of the calls in its arguments.
  std::string steps_of(const Definition& defined, std::string value, WrittenCall call) {
    used_.insert(defined.word());
    for (WrittenArgument& a : call.arguments) {
      if (a.is_tensor()) declare(a);
      if (a.call || a.is_tensor()) a = {.text = a.call ? step("", *a.call) : a.text};
      if (a.is_name() && axes_.empty()) axes_ = {"rows", "cols"};
    }
    if (value.empty()) value = naming_.back().next();
    Bindings bound = defined.bound(call, text_);
    const bool outermost = call_.empty();
    if (outermost) graph_.calls.push_back(noted_call(value, call));
    if (outermost) call_ = value;  // the steps that follow belong to it
    naming_.push_back({value + ".", defined.described().body});
    for (const Definition::Statement& s : defined.statements()) {
      const std::string made = s.value.empty() ? value : value + "." + s.value;
      step(made, substituted(s.call, bound));
      bound[s.value] = {.text = made};
    }
    naming_.pop_back();
    if (outermost) call_.clear();
    return value;
  }

  /// True if a bare word behind the first operand is an axis: an optional operand is a tensor only
  /// where no tensor that was seen before has an axis of that name.
  bool is_axis(const GraphStage& row, const GraphStep& s, const WrittenArgument& a) const {
    if (s.operands.empty() || row.axes == StageAxes::none || a.call || a.is_tensor()) return false;
    return !s.axes.empty() || axes_.contains(a.text.substr(0, a.text.find('.')));
  }

  GraphOperand operand(const StageOperand& place, const GraphStage& row, const WrittenArgument& a) {
    if (a.call) return {step("", *a.call)};
    if (const std::optional<double> number = number_in(a.text)) {
      if (!place.number)
        tokens_.fail(fmt::format("operand '{}' of {} is a tensor, no number: '{}'", place.word,
                                 row.word, a.text));
      return {"", *number};
    }
    const std::string advice = advice_on_name(a.text);
    if (!advice.empty() && !made_.contains(a.text))
      tokens_.fail(fmt::format("'{}' is no tensor: {}", a.text, advice));
    if (a.is_tensor()) declare(a);
    if (!a.axes && place.axes == OperandAxes::matrix)
      axes_.insert("out");  // the first axis of a matrix whose text says none
    else if (axes_.empty())
      axes_ = {"rows", "cols"};
    return {a.text};
  }

  /// A tensor whose axes stand behind it, or of which the text asks for no gradient.
  void declare(const WrittenArgument& a) {
    if (a.fixed) fixed_.push_back({a.text, a.kind});
    if (!a.axes) return;
    const auto is_it = [&](const GraphTensor& t) { return t.name == a.text; };
    if (std::ranges::any_of(graph_.tensors, is_it))
      tokens_.fail(fmt::format("the axes of '{}' are said twice", a.text));
    if (const auto distinct = made_distinct(*a.axes); distinct != *a.axes)
      tokens_.fail(
          fmt::format("'{}[{}]' names an axis twice; two axes of one extent are two names: {}[{}]",
                      a.text, fmt::join(*a.axes, ","), a.text, fmt::join(distinct, ",")));
    graph_.tensors.push_back({a.text, TensorPart::input, *a.axes, true});
    axes_.insert(a.axes->begin(), a.axes->end());
  }

  Tokens tokens_;
  std::string_view text_;
  Graph graph_;
  std::vector<Definition> definitions_;
  std::set<std::string> used_;  ///< of their words
  std::vector<FixedTensor> fixed_;
  std::string call_;            ///< the value of the call of a definition that is read
  std::vector<Naming> naming_;  ///< of the line, and of the calls inside of each other
  std::set<std::string> made_;  ///< values
  std::set<std::string, std::less<>> axes_;
};

}  // namespace

Graph parse_graph(std::string_view text) { return GraphReader(text).read(); }

}  // namespace gradproof
