// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/schema.h"
#include "core/error.h"
#include "core/graph/graph.h"
#include "core/graph/options.h"
#include "core/graph/resolve.h"
#include "core/graph/stages.h"
#include "core/graph/tokens.h"

namespace gradproof {
namespace {

/// A call before anybody asked what its words mean: arguments are operands, calls, or axes.
struct Call;
struct Argument {
  std::string key;  ///< of key=text
  std::string text;
  std::optional<std::vector<std::string>> axes;  ///< of name[axes]
  std::shared_ptr<Call> call;
};
struct Call {
  std::string stage;
  std::vector<Argument> arguments;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : tokens_(text), text_(text) {}

  Graph read() {
    do {
      if (tokens_.peek() == '\0') break;
      statement();
    } while (tokens_.take(";"));
    if (tokens_.peek() != '\0') tokens_.refuse("';' or the end");
    if (graph_.steps.empty()) throw UsageError(fmt::format("no step in '{}'", text_));
    return resolved(std::move(graph_), text_);
  }

 private:
  void statement() {
    const std::size_t first = tokens_.place();
    const std::string word = tokens_.name("a tensor, a value or 'outputs'");
    if (word == "outputs" && starts_name(tokens_.peek())) return outputs();
    if (tokens_.take("=")) {
      if (std::find(assigned_.begin(), assigned_.end(), word) != assigned_.end())
        throw UsageError(fmt::format("value '{}' is made twice in '{}'", word, text_));
      const std::string head = tokens_.name("a stage");
      tokens_.want("(");
      step(word, call_of(head));
      return;
    }
    tokens_.back_to(first);
    chain();
  }

  void outputs() {
    graph_.outputs_said = true;
    while (starts_name(tokens_.peek())) {
      graph_.outputs.push_back(tokens_.name("a value"));
      tokens_.take(",");
    }
  }

  /// x -> stage(...) -> stage -> y
  void chain() {
    Argument value = argument();
    if (!value.key.empty()) tokens_.refuse("'->'");
    std::optional<Call> last;
    std::string named;
    if (tokens_.peek() != '-') tokens_.refuse("'->' or '='");
    while (tokens_.take("->")) {
      const std::string word = tokens_.name("a stage or the value's name");
      if (tokens_.peek() != '(' && !is_graph_stage(word)) {
        if (tokens_.peek() == '-') graph_stage(word);  // it is no stage: says which may be meant
        named = word;
        break;
      }
      if (last) value = {"", step("", *last), std::nullopt, nullptr};
      Call call{word, {}};
      if (tokens_.take("(")) call = call_of(word);
      call.arguments.insert(call.arguments.begin(), value);
      last = std::move(call);
    }
    if (!last) tokens_.refuse("a stage");
    step(named.empty() ? "y" : named, *last);
  }

  Argument argument() {
    Argument a;
    const char c = tokens_.peek();
    if (!starts_name(c)) {
      a.text = tokens_.literal();
      double number = 0;
      if (!parse_double(a.text, number)) tokens_.refuse("an operand");
      return a;
    }
    a.text = tokens_.name("an operand");
    if (tokens_.take("=")) {
      a.key = a.text;
      a.text = tokens_.literal();
    } else if (tokens_.take("(")) {
      a.call = std::make_shared<Call>(call_of(a.text));
    } else if (tokens_.take("[")) {
      a.axes.emplace();
      while (!tokens_.take("]")) {
        a.axes->push_back(tokens_.name("an axis or ']'"));
        tokens_.take(",");
      }
    }
    return a;
  }

  Call call_of(const std::string& stage) {
    Call call{stage, {}};
    if (tokens_.take(")")) return call;
    do call.arguments.push_back(argument());
    while (tokens_.take(","));
    tokens_.want(")");
    return call;
  }

  /// Adds the steps of a call; the name of its value.
  std::string step(std::string value, const Call& call) {
    const GraphStage& row = graph_stage(call.stage);
    GraphStep s;
    s.stage = row.word;
    for (const Argument& a : call.arguments) {
      if (!a.key.empty()) {
        take_option(s, row, a.key, a.text, text_);
      } else if (s.operands.size() < row.operands.size() && !is_axis(row, s, a)) {
        s.operands.push_back(operand(row.operands[s.operands.size()], row, a));
      } else if (a.call == nullptr && !a.axes && starts_name(a.text.front())) {
        s.axes.push_back(a.text);
        s.axes_said = true;
      } else {
        throw UsageError(fmt::format("{} takes {} operand{}: '{}' is too many in '{}'", row.word,
                                     row.operands.size(), row.operands.size() == 1 ? "" : "s",
                                     a.text, text_));
      }
    }
    for (std::size_t k = s.operands.size(); k < row.operands.size(); ++k)
      if (!row.operands[k].optional)
        throw UsageError(fmt::format("{} lacks its operand '{}' in '{}'", row.word,
                                     row.operands[k].word, text_));
    require_options(s, row, text_);
    if (value.empty()) value = free_name();
    s.value = value;
    assigned_.push_back(value);
    graph_.steps.push_back(std::move(s));
    return value;
  }

  /// Whether a bare word behind the first operand is an axis: an optional operand is a tensor only
  /// where no tensor that was seen before has an axis of that name.
  bool is_axis(const GraphStage& row, const GraphStep& s, const Argument& a) const {
    if (s.operands.empty() || row.axes == StageAxes::none || a.call || a.axes) return false;
    return !s.axes.empty() || axes_.contains(a.text.substr(0, a.text.find('.')));
  }

  GraphOperand operand(const StageOperand& place, const GraphStage& row, const Argument& a) {
    if (a.call) return {step("", *a.call)};
    double number = 0;
    if (parse_double(a.text, number) && !starts_name(a.text.front())) {
      if (!place.number)
        throw UsageError(fmt::format("operand '{}' of {} is a tensor, no number: '{}' in '{}'",
                                     place.word, row.word, a.text, text_));
      return {"", number};
    }
    if (a.axes) {
      const auto known = std::find_if(graph_.tensors.begin(), graph_.tensors.end(),
                                      [&](const GraphTensor& t) { return t.name == a.text; });
      if (known != graph_.tensors.end())
        throw UsageError(fmt::format("the axes of '{}' are said twice in '{}'", a.text, text_));
      graph_.tensors.push_back({a.text, TensorPart::input, *a.axes, true});
      axes_.insert(a.axes->begin(), a.axes->end());
    } else if (axes_.empty()) {
      axes_ = {"rows", "cols"};
    }
    return {a.text};
  }

  /// v1, v2, ...: none that the text has.
  std::string free_name() {
    std::string candidate;
    do candidate = fmt::format("v{}", ++made_);
    while (text_.find(candidate) != std::string_view::npos);
    return candidate;
  }

  Tokens tokens_;
  std::string_view text_;
  int made_ = 0;
  Graph graph_;
  std::vector<std::string> assigned_;
  std::set<std::string, std::less<>> axes_;
};

}  // namespace

Graph parse_graph(std::string_view text) { return Reader(text).read(); }

}  // namespace gradproof
