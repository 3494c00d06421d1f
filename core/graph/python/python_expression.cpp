// SPDX-License-Identifier: Apache-2.0
#include "core/graph/python/python_expression.h"

#include <fmt/format.h>

#include "core/graph/options.h"

namespace gradproof {

std::string filled(std::string_view expression, const PythonWords& words) {
  std::string text;
  for (std::size_t at = 0; at < expression.size();) {
    if (expression[at] != '{') {
      text += expression[at++];
      continue;
    }
    const std::size_t end = expression.find('}', at);
    text += words.at(std::string(expression.substr(at + 1, end - at - 1)));
    at = end + 1;
  }
  return text;
}

std::string of_rows(const GraphStep& s, const GraphStage& row, PythonWords words,
                    std::string_view over, bool keeps) {
  if (empty_rows(s) != EmptyRows::zero) return filled(row.libtorch, words);
  const auto is_empty = [&](bool kept) {
    return filled(fmt::format("{{x}}.amax({}, {}) == -torch.inf", over, kept ? "True" : "False"),
                  words);
  };
  const std::string places = is_empty(keeps);
  words["x"] += fmt::format(".masked_fill({}, 0.0)", is_empty(true));
  return fmt::format("torch.where({}, 0.0, {})", places, filled(row.libtorch, words));
}

}  // namespace gradproof
