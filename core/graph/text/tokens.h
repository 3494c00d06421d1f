// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gradproof {

bool starts_name(char c);

/// The words and signs of a graph's text, one after the other; blanks are skipped.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  /// Throws UsageError, which says what is wanted, and before which text.
  [[noreturn]] void refuse(const std::string& wanted);
  /// Throws UsageError, which says what is wrong in the text.
  [[noreturn]] void fail(const std::string& what) const;

  /// The next character, 0 at the end.
  char peek();
  /// True if the text goes on with the token, which then is read.
  bool take(std::string_view token);
  void want(std::string_view token);
  /// Reads a name: a letter or '_', then letters, digits, '_' and '.'.
  std::string name(const char* what);
  /// Reads a number or a word.
  std::string literal();

  std::size_t place() const { return at_; }
  void back_to(std::size_t place) { at_ = place; }

 private:
  void skip();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace gradproof
