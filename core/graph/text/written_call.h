// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/tensor_part.h"
#include "core/graph/text/tokens.h"

namespace gradproof {

/// `fixed(keep[rows,cols])` stands for the tensor, of which then no gradient is asked.
inline constexpr std::string_view kFixed = "fixed";

std::string_view name_of(FixedKind kind);

/// "fixed(keep[rows,cols], kind=coin)" of the tensor's text.
std::string fixed_text(std::string_view tensor, FixedKind kind);

/// A call as it stands in a graph's text, before anybody asked what its words mean.
struct WrittenCall;

/// An argument of a call: an operand, a call, an axis, or key=text.
struct WrittenArgument {
  std::string key = {};  ///< of key=text
  std::string text = {};
  std::optional<std::vector<std::string>> axes = {};  ///< of name[axes]
  std::shared_ptr<const WrittenCall> call = {};
  bool fixed = false;                  ///< the text asks for no gradient of the tensor: fixed(name)
  FixedKind kind = FixedKind::filled;  ///< of a fixed one: fixed(name, kind=coin)
  bool unbound = false;  ///< a name in a definition that nothing there binds: it must be an axis

  /// True if the argument is the name of a tensor, a value or an axis, without brackets.
  bool is_name() const;
  /// True where the argument can be nothing but a tensor.
  bool is_tensor() const { return axes.has_value() || fixed; }
};

struct WrittenCall {
  std::string stage;
  std::vector<WrittenArgument> arguments;
};

/// The number that a word is; none where the word is a name or a NaN.
std::optional<double> number_in(const std::string& word);

/// Throws UsageError, which quotes the text.
WrittenArgument read_argument(Tokens& tokens);

/// Reads on behind `stage(`. Throws UsageError, which quotes the text.
WrittenCall read_call(Tokens& tokens, const std::string& stage);

/// The canonical text; numbers in their shortest form.
std::string to_string(const WrittenCall& call);

}  // namespace gradproof
