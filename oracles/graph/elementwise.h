// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>

#include "core/graph/graph.h"
#include "oracles/graph/functions/comparisons.h"
#include "oracles/graph/functions/elementary.h"
#include "oracles/graph/functions/gelu.h"
#include "oracles/graph/functions/kinked.h"
#include "oracles/graph/functions/smooth.h"
#include "oracles/graph/functions/softcap.h"

/// Functions of one number: the value as the paper writes it and the derivative, in the closed set
/// of functions. `libtorch_value` and `libtorch_derivative` are other forms of these, if LibTorch
/// rounds otherwise: the bound takes the larger error. `libtorch_result` is a value or a gradient
/// as LibTorch's operator gives it. A derivative takes the value too, for the forms that start from
/// what forward saved.
namespace gradproof {

/// The stages of one number by name; `gelu_tanh` is gelu(approximate=tanh).
enum class ElementwiseWord {
  relu,
  leaky_relu,
  gelu,
  gelu_tanh,
  sigmoid,
  tanh,
  silu,
  softplus,
  mish,
  hardswish,
  hardtanh,
  abs,
  neg,
  detach,
  square,
  exp,
  log,
  log1p,
  sqrt,
  rsqrt,
  elu,
  erf,
  sin,
  cos,
  pow,
  softcap,
};

/// The stage of a step. It stands out of line so that the compilations for several instruction sets
/// compare no text. Throws InstrumentError: the stage is no function of one number.
ElementwiseWord elementwise_word(const GraphStep& step);

/// The relation that a comparison of that word asks about; none for other stages.
std::optional<Relation> relation_of(std::string_view stage);

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Calls visit(function) with the function of a step's word.
template <class Round, class Visit>
decltype(auto) with_elementwise(const GraphStep& step, const Round& round, const Visit& visit) {
  const auto number = [&](const char* key) { return round(step.number(key)); };
  switch (elementwise_word(step)) {
    using enum ElementwiseWord;
    case relu:
      return visit(Relu());
    case leaky_relu:
      return visit(LeakyRelu{number("slope")});
    case gelu:
      return visit(Gelu());
    case gelu_tanh:
      return visit(GeluTanh());
    case sigmoid:
      return visit(Sigmoid());
    case tanh:
      return visit(Tanh());
    case silu:
      return visit(Silu());
    case softplus:
      return visit(Softplus());
    case mish:
      return visit(Mish());
    case hardswish:
      return visit(Hardswish());
    case hardtanh:
      return visit(Hardtanh{number("min"), number("max")});
    case abs:
      return visit(Abs());
    case neg:
      return visit(Neg());
    case detach:
      return visit(Detach());
    case square:
      return visit(Square());
    case exp:
      return visit(Exp());
    case log:
      return visit(Log());
    case log1p:
      return visit(Log1p());
    case sqrt:
      return visit(Sqrt());
    case rsqrt:
      return visit(Rsqrt());
    case elu:
      return visit(Elu{number("alpha"), number("scale"), number("input_scale")});
    case erf:
      return visit(Erf());
    case sin:
      return visit(Sin());
    case cos:
      return visit(Cos());
    case pow:
      return visit(Pow{number("exponent")});
    case softcap:
      break;
  }
  return visit(Softcap{number("cap")});
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
