// SPDX-License-Identifier: Apache-2.0
#include "core/graph/python/python_expression.h"

#include <cmath>

#include <fmt/format.h>

#include "core/graph/grid.h"
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

std::string python_rounding(const GraphStep& s, const std::string& x, DType storage) {
  const Grid grid = grid_of(s);
  const std::string type = s.word(kToType);
  const bool has_special = !std::isfinite(grid.beyond);
  const std::string wide =
      fmt::format("{}.detach().{}()", x, storage == DType::f64 ? "double" : "float");
  const std::string limits = fmt::format(".clamp({}, {})", -grid.lowest, grid.largest);
  const char* const cast = type == "f8e4m3"   ? "torch.float8_e4m3fn"
                           : type == "f8e5m2" ? "torch.float8_e5m2"
                           : type == "bf16"   ? "torch.bfloat16"
                           : type == "f16"    ? "torch.float16"
                                              : nullptr;
  // A cast from float64 rounds to float32 first.
  if (cast != nullptr && !grid.ties_away && storage != DType::f64)
    return fmt::format("{}{}.to({}).to({}.dtype)", wide, has_special ? "" : limits, cast, x);
  const std::string number = fmt::format(
      "(lambda x, e: torch.ldexp({}, e))({}, (torch.frexp({})[1] - 1).clamp(min={}) - {})",
      grid.ties_away ? "(torch.ldexp(x, -e).abs() + 0.5).floor() * x.sign()"
                     : "torch.round(torch.ldexp(x, -e))",
      wide, wide, grid.least, grid.digits - 1);
  if (!has_special) return fmt::format("{}{}.to({}.dtype)", number, limits, x);
  return fmt::format("(lambda q: torch.where(q.abs() > {}, {} * q.sign(), q))({}).to({}.dtype)",
                     grid.largest, std::isnan(grid.beyond) ? "torch.nan" : "torch.inf", number, x);
}

}  // namespace gradproof
