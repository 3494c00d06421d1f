// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <string>

#include "core/graph/stages.h"

namespace gradproof {

inline std::string filter_of(const GraphStage& s) {
  return s.widens ? ", weight[c,out,kh,kw]" : ", weight[out,c,kh,kw]";
}

inline std::string line_of_move(const GraphStage& s) {
  const std::string word(s.word);
  if (word == "count") return "{y = divide(x, count(labels[rows]))}";
  if (word == "permute") return "{y[cols,rows] = permute(x)}";
  if (word == "join") return "{y = join(x, cols, rows, all)}";
  if (word == "repeat") return "{y = repeat(x, all, size=2)}";
  if (word == "tril" || word == "triu" || word == "causal")
    return "{y = " + word + "(x, rows, cols" + (word == "causal" ? ", value=-1" : "") + ")}";
  if (word == "diagonal") return "{y = diagonal(x, rows, cols, all)}";
  if (word == "concat") return "{y = concat(x, other[rows,more], cols, more, all)}";
  if (s.takes_labels())
    return "{y = " + word + "(x, labels[rows], " + (s.move.adds ? "all, size=4" : "cols") + ")}";
  const std::string options = word == "split"    ? ", a, b, parts=2"
                              : word == "select" ? ", at=1"
                              : word == "roll"   ? ", shift=1"
                              : word == "rename" ? ", all"
                                                 : "";
  return "{y = " + word + "(x, cols" + options + ")}";
}

/// A line for a stage that is right in LibTorch, and would be wrong if an element were off by
/// twice its bound.
inline std::string line_of(const GraphStage& s) {
  std::string arguments =
      s.axes == StageAxes::spatial || s.form == StageForm::slides || s.axes == StageAxes::group
          ? "x[n,c,h,w]"
          : "x[rows,cols]";
  if (std::isfinite(s.defined_from)) arguments = "exp(" + arguments + ")";
  for (std::size_t k = 1; k < s.operands.size(); ++k)
    arguments += s.operands[k].axes == OperandAxes::first ? ", t[rows,cols]"
                 : s.operands[k].axes == OperandAxes::any ? ", t[cols,out]"
                 : s.operands[k].axes == OperandAxes::filter
                     ? filter_of(s)
                     : ", " + std::string(s.operands[k].word);
  if (s.axes == StageAxes::said) arguments += ", cols";
  for (const StageOption& o : s.options) {
    if (o.key == "groups" && !s.convolves()) arguments += ", groups=2";
    if (o.key == "window") arguments += ", window=2";
    if (o.key == "cap") arguments += ", cap=3";
    if (o.key == "exponent") arguments += ", exponent=1.5";
  }
  if (s.moves()) return line_of_move(s);
  if (s.word == "where") return "{y = where(mask, x, t[rows,cols])}";
  if (s.word == "recur") return "{y = recur(x[rows,cols], t[rows,cols], initial, cols)}";
  if (s.detached && s.form == StageForm::elementwise && s.operands.size() == 2)
    return "{y = multiply(x, " + std::string(s.word) + "(x, 0.3))}";
  if (s.word == "detach") return "{y = add(detach(x), x)}";
  const std::string line = "{y = " + std::string(s.word) + "(" + arguments + ")}";
  return s.convolves() ? line + " c=3 kh=2 kw=2" : line;
}

}  // namespace gradproof
