// SPDX-License-Identifier: Apache-2.0
#include "core/graph/text/definition.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/graph/stages.h"
#include "core/nearest_word.h"

namespace gradproof {
namespace {

using Names = std::set<std::string, std::less<>>;

/// Calls visit(call) with a call and those in it.
template <class Visit>
void each_call(const WrittenCall& call, const Visit& visit) {
  visit(call);
  for (const WrittenArgument& a : call.arguments)
    if (a.call) each_call(*a.call, visit);
}

/// The names that a call takes, and the words behind its keys.
Names names_in(const WrittenCall& call) {
  Names names;
  each_call(call, [&](const WrittenCall& one) {
    for (const WrittenArgument& a : one.arguments)
      if (!a.call) names.insert(a.text);
  });
  return names;
}

std::string text_of(const std::vector<Definition::Statement>& statements) {
  if (statements.size() == 1) return to_string(statements.front().call);
  std::string text = "{";
  for (const Definition::Statement& s : statements)
    text += (s.value.empty() ? "" : s.value + " = ") + to_string(s.call) +
            (s.value.empty() ? "}" : "; ");
  return text;
}

}  // namespace

Definition::Definition(const WrittenArgument& head, Tokens& tokens,
                       const std::vector<Definition>& earlier) {
  if (head.fixed) tokens.fail(fmt::format("'{}' is a word of the language already", kFixed));
  if (!head.call) tokens.fail(fmt::format("the stage '{}' is defined without operands", head.text));
  described_.word = head.call->stage;
  if (is_graph_stage(word())) tokens.fail(fmt::format("'{}' is a stage already", word()));
  if (find_definition(earlier, word()) != nullptr)
    tokens.fail(fmt::format("stage '{}' is defined twice", word()));
  take_parameters(*head.call, tokens);
  read_body(tokens);
  check_names(earlier, tokens);
  described_.body = text_of(statements_);
}

void Definition::take_parameters(const WrittenCall& head, Tokens& tokens) {
  Names seen;
  for (const WrittenArgument& a : head.arguments) {
    const std::optional<double> number = number_in(a.text);
    if (!a.key.empty() && number)
      described_.numbers.emplace_back(a.key, *number);
    else if (a.is_name())
      described_.operands.push_back(a.text);
    else
      tokens.fail(fmt::format("'{}' takes operands by name and numbers as key=NUMBER", word()));
    if (!seen.insert(a.key.empty() ? a.text : a.key).second)
      tokens.fail(fmt::format("'{}' of {} stands twice", a.text, word()));
  }
  if (described_.operands.empty()) tokens.fail(fmt::format("'{}' has no operand", word()));
}

void Definition::read_body(Tokens& tokens) {
  const bool several = tokens.take("{");
  while (true) {
    Statement s;
    std::string stage = tokens.name("a stage");
    if (several && tokens.take("=")) s.value = std::exchange(stage, tokens.name("a stage"));
    tokens.want("(");
    s.call = read_call(tokens, stage);
    statements_.push_back(s);
    if (s.value.empty()) break;
    tokens.want(";");
  }
  if (several) tokens.want("}");
}

/// Whoever reads the definition alone knows what it computes: every name in it is an operand, a
/// number or an earlier value of it, or an axis of the line; and each of the former is used.
void Definition::check_names(const std::vector<Definition>& earlier, Tokens& tokens) const {
  const auto fail = [&](const std::string& what) {
    tokens.fail(fmt::format("{} in the definition of '{}'", what, word()));
  };
  std::vector<std::string> known = described_.operands;
  for (const auto& [key, initial] : described_.numbers) known.push_back(key);
  Names unused(known.begin(), known.end());
  for (const Statement& s : statements_) {
    each_call(s.call, [&](const WrittenCall& call) {
      if (call.stage == word()) tokens.fail(fmt::format("'{}' is defined by itself", word()));
      if (find_definition(earlier, call.stage) == nullptr) stage_beside(earlier, call.stage);
      if (call.arguments.empty()) return;
      const WrittenArgument& first = call.arguments.front();
      if (first.is_name() && !has_name(known, first.text))
        fail(fmt::format("'{}' is none of its names ({}){}", first.text, fmt::join(known, " "),
                         did_you_mean(first.text, known)));
      for (const WrittenArgument& a : call.arguments)
        if (a.fixed)
          fail(fmt::format("'{}' is {}, which its call says of a tensor", a.text, kFixed));
        else if (a.axes)
          fail(fmt::format("the axes of '{}' are said", a.text));
    });
    for (const std::string& name : names_in(s.call)) unused.erase(name);
    if (s.value.empty()) break;
    if (has_name(known, s.value)) fail(fmt::format("value '{}' is made twice", s.value));
    known.push_back(s.value);
    unused.insert(s.value);
  }
  if (!unused.empty()) fail(fmt::format("'{}' is never used", *unused.begin()));
}

void Definition::bind_number(Bindings& all, const WrittenArgument& a, std::string_view line) const {
  const auto is_said = [&](const auto& number) { return number.first == a.key; };
  if (std::ranges::none_of(described_.numbers, is_said)) {
    std::vector<std::string> known;
    for (const auto& [key, initial] : described_.numbers) known.push_back(key);
    throw UsageError(fmt::format("unknown option '{}' of {} in '{}'; known: {}{}", a.key, word(),
                                 line,
                                 known.empty() ? "none" : fmt::format("{}", fmt::join(known, " ")),
                                 did_you_mean(a.key, known)));
  }
  const std::optional<double> number = number_in(a.text);
  if (!number)
    throw UsageError(
        fmt::format("bad value '{}' for option '{}' of {}; a number", a.text, a.key, word()));
  if (!all.emplace(a.key, WrittenArgument{.text = fmt::format("{}", *number)}).second)
    throw UsageError(fmt::format("option '{}' stands twice in '{}'", a.key, line));
}

Bindings Definition::bound(const WrittenCall& call, std::string_view line) const {
  const std::vector<std::string>& operands = described_.operands;
  Bindings all;
  std::size_t given = 0;
  for (const WrittenArgument& a : call.arguments) {
    if (!a.key.empty())
      bind_number(all, a, line);
    else if (given++ < operands.size())
      all.emplace(operands[given - 1], a);
  }
  if (given != operands.size())
    throw UsageError(fmt::format("{} takes {} operand{} ({}), and is given {} in '{}'", word(),
                                 operands.size(), operands.size() == 1 ? "" : "s",
                                 fmt::join(operands, " "), given, line));
  for (const auto& [key, initial] : described_.numbers)
    all.emplace(key, WrittenArgument{.text = fmt::format("{}", initial)});
  return all;
}

GraphStep noted_call(const std::string& value, const WrittenCall& call) {
  GraphStep noted;
  noted.value = value;
  noted.stage = call.stage;
  for (const WrittenArgument& a : call.arguments) {
    const std::optional<double> number = number_in(a.text);
    if (a.key.empty())
      noted.operands.push_back({number ? "" : a.text, number.value_or(0)});
    else
      noted.options[a.key] = fmt::format("{}", *number);
  }
  return noted;
}

const Definition* find_definition(const std::vector<Definition>& all, std::string_view word) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Definition& d) { return d.word() == word; });
  return found == all.end() ? nullptr : &*found;
}

const GraphStage& stage_beside(const std::vector<Definition>& definitions, std::string_view word) {
  std::vector<std::string> words;
  for (const Definition& d : definitions) words.push_back(d.word());
  return graph_stage(word, words);
}

WrittenCall substituted(const WrittenCall& call, const Bindings& bound) {
  WrittenCall made{call.stage, {}};
  for (WrittenArgument a : call.arguments) {
    const auto found = a.call ? bound.end() : bound.find(a.text);
    if (a.call) {
      a.call = std::make_shared<WrittenCall>(substituted(*a.call, bound));
    } else if (found != bound.end()) {
      const std::string key = a.key;
      a = found->second;
      a.key = key;
    } else {
      a.unbound = a.is_name();
    }
    made.arguments.push_back(std::move(a));
  }
  return made;
}

}  // namespace gradproof
