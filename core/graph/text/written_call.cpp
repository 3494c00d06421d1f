// SPDX-License-Identifier: Apache-2.0
#include "core/graph/text/written_call.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/schema.h"

namespace gradproof {
namespace {

constexpr std::array<std::string_view, 5> kKinds{"fill", "coin", "causal", "padding", "onehot"};

/// A number in its shortest form, a word as it is.
std::string canonical(const std::string& text) {
  const std::optional<double> number = number_in(text);
  return number ? fmt::format("{}", *number) : text;
}

std::string to_string(const WrittenArgument& a) {
  if (a.call) return to_string(*a.call);
  if (a.fixed) {
    WrittenArgument tensor = a;
    tensor.fixed = false;
    return fixed_text(to_string(tensor), a.kind);
  }
  if (a.axes) return fmt::format("{}[{}]", a.text, fmt::join(*a.axes, ","));
  return a.key.empty() ? canonical(a.text) : a.key + "=" + canonical(a.text);
}

}  // namespace

std::string_view name_of(FixedKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::string fixed_text(std::string_view tensor, FixedKind kind) {
  if (kind == FixedKind::filled) return fmt::format("{}({})", kFixed, tensor);
  return fmt::format("{}({}, kind={})", kFixed, tensor, name_of(kind));
}

std::optional<double> number_in(const std::string& word) {
  double number = 0;
  if (starts_name(word.front()) || !parse_double(word, number) || std::isnan(number)) return {};
  return number;
}

bool WrittenArgument::is_name() const {
  return key.empty() && !is_tensor() && call == nullptr && starts_name(text.front());
}

namespace {

void read_axes(WrittenArgument& a, Tokens& tokens) {
  if (!tokens.take("[")) return;
  a.axes.emplace();
  while (!tokens.take("]")) {
    a.axes->push_back(tokens.name("an axis or ']'"));
    tokens.take(",");
  }
}

FixedKind read_kind(Tokens& tokens) {
  const std::string word = tokens.literal();
  const auto found = std::ranges::find(kKinds, word);
  if (found == kKinds.end())
    tokens.fail(fmt::format("bad value '{}' for option 'kind' of {}; known: {}", word, kFixed,
                            fmt::join(kKinds, " ")));
  return static_cast<FixedKind>(found - kKinds.begin());
}

/// Reads on behind `fixed(`.
WrittenArgument read_fixed(Tokens& tokens) {
  WrittenArgument a;
  a.fixed = true;
  a.text = tokens.name("a tensor");
  read_axes(a, tokens);
  if (tokens.take(",")) {
    if (const std::string key = tokens.name("kind=WORD"); key != "kind")
      tokens.fail(fmt::format("unknown option '{}' of {}; known: kind", key, kFixed));
    tokens.want("=");
    a.kind = read_kind(tokens);
  }
  tokens.want(")");
  return a;
}

}  // namespace

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
    if (a.text == kFixed) return read_fixed(tokens);
    a.call = std::make_shared<WrittenCall>(read_call(tokens, a.text));
  } else {
    read_axes(a, tokens);
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
