// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/graph/graph.h"
#include "core/graph/stages.h"

namespace gradproof {

/// A word of torch that is no stage.
struct TorchWord {
  std::string_view word;
  std::string_view line;    ///< that says the same; empty: no line says it
  std::string_view reason;  ///< why there is none
};
std::span<const TorchWord> torch_words();

/// "; in a line it is 'y = multiply(x, z)'" of the word as torch has it, also as `torch.mul`,
/// `x.mul_` or `Mul`; empty where it is none of torch's.
std::string advice_on_torch(std::string_view word);

/// The advice on an argument that torch's functions take by key.
std::string advice_on_torch_key(std::string_view key);

/// The advice on a number that stands behind the operands of a stage: torch's axes are numbers,
/// and so are the limits of its clamp. The graph has what was read so far.
std::string advice_on_number(const Graph& graph, const GraphStage& row, const GraphStep& step,
                             const std::string& number);

/// The advice on a name with a meaning in Python: `w.T`, `inf`. Empty where it may be a tensor's.
std::string advice_on_name(std::string_view name);

/// The stage that an operator of Python is: "; '*' is a stage: y = multiply(x, z)". Empty where the
/// character is none.
std::string advice_on_operator(char c);

}  // namespace gradproof
