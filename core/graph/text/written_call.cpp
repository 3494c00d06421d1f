// SPDX-License-Identifier: Apache-2.0
#include "core/graph/text/written_call.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/schema.h"

namespace gradproof {
namespace {

/// The canonical text: a number in its shortest form, a word as it is.
std::string canonical(const std::string& text) {
  const std::optional<double> number = number_in(text);
  return number ? fmt::format("{}", *number) : text;
}

std::string to_string(const WrittenArgument& a) {
  if (a.call) return to_string(*a.call);
  if (a.axes) return fmt::format("{}[{}]", a.text, fmt::join(*a.axes, ","));
  return a.key.empty() ? canonical(a.text) : a.key + "=" + canonical(a.text);
}

}  // namespace

std::optional<double> number_in(const std::string& word) {
  double number = 0;
  if (starts_name(word.front()) || !parse_double(word, number) || std::isnan(number)) return {};
  return number;
}

bool WrittenArgument::is_name() const {
  return key.empty() && !axes && call == nullptr && starts_name(text.front());
}

WrittenArgument read_argument(Tokens& tokens) {
  WrittenArgument a;
  if (!starts_name(tokens.peek())) {
    a.text = tokens.literal();
    if (!number_in(a.text)) tokens.refuse("an operand");
    return a;
  }
  a.text = tokens.name("an operand");
  if (tokens.take("=")) {
    a.key = a.text;
    a.text = tokens.literal();
  } else if (tokens.take("(")) {
    a.call = std::make_shared<WrittenCall>(read_call(tokens, a.text));
  } else if (tokens.take("[")) {
    a.axes.emplace();
    while (!tokens.take("]")) {
      a.axes->push_back(tokens.name("an axis or ']'"));
      tokens.take(",");
    }
  }
  return a;
}

WrittenCall read_call(Tokens& tokens, const std::string& stage) {
  WrittenCall call{stage, {}};
  if (tokens.take(")")) return call;
  do call.arguments.push_back(read_argument(tokens));
  while (tokens.take(","));
  tokens.want(")");
  return call;
}

std::string to_string(const WrittenCall& call) {
  std::vector<std::string> arguments;
  for (const WrittenArgument& a : call.arguments) arguments.push_back(to_string(a));
  return fmt::format("{}({})", call.stage, fmt::join(arguments, ", "));
}

}  // namespace gradproof
