// SPDX-License-Identifier: Apache-2.0
#include "core/graph/text/tokens.h"

#include <cctype>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/text/torch_words.h"

namespace gradproof {
namespace {

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// The advice on an operator of Python: the next character, or the one behind a number.
std::string advice_on(std::string_view rest) {
  const std::size_t at = rest.find_first_not_of("0123456789. ");
  if (at == std::string_view::npos || rest.substr(at).starts_with("->")) return "";
  return advice_on_operator(rest[at]);
}

}  // namespace

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void Tokens::refuse(const std::string& wanted) {
  skip();
  const std::string_view rest = text_.substr(at_, 20);
  throw UsageError(fmt::format("{} is wanted {} in '{}'{}", wanted,
                               rest.empty() ? "at the end" : fmt::format("before '{}'", rest),
                               text_, advice_on(rest)));
}

void Tokens::fail(const std::string& what) const {
  throw UsageError(fmt::format("{} in '{}'", what, text_));
}

void Tokens::skip() {
  while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
}

char Tokens::peek() {
  skip();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Tokens::take(std::string_view token) {
  skip();
  if (!text_.substr(at_).starts_with(token)) return false;
  at_ += token.size();
  return true;
}

void Tokens::want(std::string_view token) {
  if (!take(token)) refuse(fmt::format("'{}'", token));
}

std::string Tokens::name(const char* what) {
  skip();
  const std::size_t first = at_;
  if (at_ < text_.size() && starts_name(text_[at_]))
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
  if (first == at_) refuse(what);
  return std::string(text_.substr(first, at_ - first));
}

std::string Tokens::literal() {
  skip();
  const std::size_t first = at_;
  while (at_ < text_.size() && (in_name(text_[at_]) || text_[at_] == '-' || text_[at_] == '+'))
    ++at_;
  if (first == at_) refuse("a number or a word");
  return std::string(text_.substr(first, at_ - first));
}

}  // namespace gradproof
