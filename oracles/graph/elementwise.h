// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "core/graph/graph.h"
#include "oracles/graph/functions/elementary.h"
#include "oracles/graph/functions/gelu.h"
#include "oracles/graph/functions/kinked.h"
#include "oracles/graph/functions/smooth.h"

/// Functions of one number: the value as the paper writes it and the derivative, in the closed set
/// of functions. `libtorch_value` and `libtorch_derivative` are other forms of the same, where
/// LibTorch rounds otherwise: the bound takes the larger error. `libtorch_result` is a value or a
/// gradient as LibTorch's operator gives it. A derivative takes the value too,
/// for the forms that start from what forward saved.
namespace gradproof {

/// Throws InstrumentError: the stage is no function of one number.
[[noreturn]] void no_function_of(const GraphStep& step);

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Calls visit(function) with the function of a step's word.
template <class Round, class Visit>
decltype(auto) with_elementwise(const GraphStep& step, const Round& round, const Visit& visit) {
  const std::string_view word = step.stage;
  const auto number = [&](const char* key) { return round(step.number(key)); };
  if (word == "relu") return visit(Relu());
  if (word == "leaky_relu") return visit(LeakyRelu{number("slope")});
  if (word == "gelu" && step.word("approximate") == "none") return visit(Gelu());
  if (word == "gelu") return visit(GeluTanh());
  if (word == "sigmoid") return visit(Sigmoid());
  if (word == "tanh") return visit(Tanh());
  if (word == "silu") return visit(Silu());
  if (word == "softplus") return visit(Softplus());
  if (word == "mish") return visit(Mish());
  if (word == "hardswish") return visit(Hardswish());
  if (word == "hardtanh") return visit(Hardtanh{number("min"), number("max")});
  if (word == "abs") return visit(Abs());
  if (word == "neg") return visit(Neg());
  if (word == "detach") return visit(Detach());
  if (word == "square") return visit(Square());
  if (word == "exp") return visit(Exp());
  if (word == "log") return visit(Log());
  if (word == "log1p") return visit(Log1p());
  if (word == "sqrt") return visit(Sqrt());
  if (word == "erf") return visit(Erf());
  if (word == "softcap") return visit(Softcap{number("cap")});
  no_function_of(step);
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
