// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/schema.h"
#include "core/error.h"
#include "core/graph/graph.h"
#include "core/graph/resolve.h"
#include "core/graph/stages.h"

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

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Graph read() {
    do {
      if (peek() == '\0') break;
      statement();
    } while (take(";"));
    if (peek() != '\0') refuse("';' or the end");
    if (graph_.steps.empty()) throw UsageError(fmt::format("no step in '{}'", text_));
    return resolved(std::move(graph_), text_);
  }

 private:
  [[noreturn]] void refuse(const std::string& wanted) {
    skip();
    const std::string_view rest = text_.substr(at_, 20);
    throw UsageError(fmt::format("{} is wanted {} in '{}'", wanted,
                                 rest.empty() ? "at the end" : fmt::format("before '{}'", rest),
                                 text_));
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void want(std::string_view token) {
    if (!take(token)) refuse(fmt::format("'{}'", token));
  }
  std::string name(const char* what) {
    skip();
    const std::size_t first = at_;
    if (at_ < text_.size() && starts_name(text_[at_]))
      while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    if (first == at_) refuse(what);
    return std::string(text_.substr(first, at_ - first));
  }
  /// A number or a word, behind '='.
  std::string literal() {
    skip();
    const std::size_t first = at_;
    while (at_ < text_.size() && (in_name(text_[at_]) || text_[at_] == '-' || text_[at_] == '+'))
      ++at_;
    if (first == at_) refuse("a number or a word");
    return std::string(text_.substr(first, at_ - first));
  }

  void statement() {
    const std::size_t first = at_;
    const std::string word = name("a tensor, a value or 'outputs'");
    if (word == "outputs" && starts_name(peek())) return outputs();
    if (take("=")) {
      if (std::find(assigned_.begin(), assigned_.end(), word) != assigned_.end())
        throw UsageError(fmt::format("value '{}' is made twice in '{}'", word, text_));
      const std::string head = name("a stage");
      want("(");
      step(word, call_of(head));
      return;
    }
    at_ = first;
    chain();
  }

  void outputs() {
    graph_.outputs_said = true;
    while (starts_name(peek())) {
      graph_.outputs.push_back(name("a value"));
      take(",");
    }
  }

  /// x -> stage(...) -> stage -> y
  void chain() {
    Argument value = argument();
    if (!value.key.empty()) refuse("'->'");
    std::optional<Call> last;
    std::string named;
    if (peek() != '-') refuse("'->' or '='");
    while (take("->")) {
      const std::string word = name("a stage or the value's name");
      if (peek() != '(' && !is_graph_stage(word)) {
        if (peek() == '-') graph_stage(word);  // it is no stage: says which may be meant
        named = word;
        break;
      }
      if (last) value = {"", step("", *last), std::nullopt, nullptr};
      Call call{word, {}};
      if (take("(")) call = call_of(word);
      call.arguments.insert(call.arguments.begin(), value);
      last = std::move(call);
    }
    if (!last) refuse("a stage");
    step(named.empty() ? "y" : named, *last);
  }

  Argument argument() {
    Argument a;
    const char c = peek();
    if (!starts_name(c)) {
      a.text = literal();
      double number = 0;
      if (!parse_double(a.text, number)) refuse("an operand");
      return a;
    }
    a.text = name("an operand");
    if (take("=")) {
      a.key = a.text;
      a.text = literal();
    } else if (take("(")) {
      a.call = std::make_shared<Call>(call_of(a.text));
    } else if (take("[")) {
      a.axes.emplace();
      while (!take("]")) {
        a.axes->push_back(name("an axis or ']'"));
        take(",");
      }
    }
    return a;
  }

  Call call_of(const std::string& stage) {
    Call call{stage, {}};
    if (take(")")) return call;
    do call.arguments.push_back(argument());
    while (take(","));
    want(")");
    return call;
  }

  /// Adds the steps of a call; the name of its value.
  std::string step(std::string value, const Call& call) {
    const GraphStage& row = graph_stage(call.stage);
    GraphStep s;
    s.stage = row.word;
    for (const Argument& a : call.arguments) {
      if (!a.key.empty()) {
        option(s, row, a);
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
    for (const StageOption& o : row.options)
      if (std::isnan(o.initial) && o.words.empty() && !s.options.contains(std::string(o.key)))
        throw UsageError(fmt::format("{} needs {}=NUMBER in '{}'", row.word, o.key, text_));
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

  void option(GraphStep& s, const GraphStage& row, const Argument& a) {
    std::vector<std::string> known;
    for (const StageOption& o : row.options) known.emplace_back(o.key);
    const auto found = std::find_if(row.options.begin(), row.options.end(),
                                    [&](const StageOption& o) { return o.key == a.key; });
    if (found == row.options.end())
      throw UsageError(fmt::format("unknown option '{}' of {} in '{}'; known: {}", a.key, row.word,
                                   text_, known.empty() ? "none" : fmt::format("{}", fmt::join(known, " "))));
    std::string text = a.text;
    if (!found->words.empty()) {
      if (std::find(found->words.begin(), found->words.end(), text) == found->words.end())
        throw UsageError(fmt::format("bad value '{}' for option '{}' of {}; known: {}", text, a.key,
                                     row.word, fmt::join(found->words, " ")));
    } else {
      double number = 0;
      if (!parse_double(text, number) || std::isnan(number) || number < found->minimum ||
          (found->whole && number != std::trunc(number)))
        throw UsageError(fmt::format("bad value '{}' for option '{}' of {}; a {}number from {} up",
                                     text, a.key, row.word, found->whole ? "whole " : "",
                                     found->minimum));
      text = fmt::format("{}", number);
    }
    if (!s.options.emplace(a.key, text).second)
      throw UsageError(fmt::format("option '{}' stands twice in '{}'", a.key, text_));
  }

  /// v1, v2, ...: none that the text has.
  std::string free_name() {
    std::string candidate;
    do candidate = fmt::format("v{}", ++made_);
    while (text_.find(candidate) != std::string_view::npos);
    return candidate;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int made_ = 0;
  Graph graph_;
  std::vector<std::string> assigned_;
  std::set<std::string, std::less<>> axes_;
};

}  // namespace

Graph parse_graph(std::string_view text) { return Reader(text).read(); }

std::string to_string(const Graph& graph) {
  std::set<std::string> seen;
  std::string text;
  const auto operand_text = [&](const GraphOperand& o) {
    if (o.is_number()) return fmt::format("{}", o.number);
    for (const GraphTensor& t : graph.tensors)
      if (t.name == o.name && t.declared && seen.insert(o.name).second)
        return fmt::format("{}[{}]", o.name, fmt::join(t.axes, ","));
    return o.name;
  };
  for (const GraphStep& s : graph.steps) {
    std::vector<std::string> arguments;
    for (const GraphOperand& o : s.operands) arguments.push_back(operand_text(o));
    if (s.axes_said) arguments.insert(arguments.end(), s.axes.begin(), s.axes.end());
    for (const auto& [key, value] : s.options) arguments.push_back(key + "=" + value);
    text += fmt::format("{}{} = {}({})", text.empty() ? "" : "; ", s.value, s.stage,
                        fmt::join(arguments, ", "));
  }
  if (graph.outputs_said) text += fmt::format("; outputs {}", fmt::join(graph.outputs, " "));
  return text;
}

}  // namespace gradproof
