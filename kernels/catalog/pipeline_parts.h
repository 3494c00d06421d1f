// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "kernels/call.h"

/// The parts of a kernel's pipeline, which must be a chain of stages on x with at most one norm.
namespace gradproof {

/// Reads a kernel's pipeline. Throws InstrumentError if it is no chain from x to y, if its norm's
/// parameters are not called weight and beta, or if two stages share a name.
Graph kernel_pipeline(const std::string& text);

bool has_stage(const Graph& pipeline, std::string_view word);
/// The only step that normalises; null if there is none.
const GraphStep* norm_of(const Graph& pipeline);

/// A number that an elementwise stage takes, and its default. The key of an operand is the stage's
/// word; the key of an option is the option's.
struct StageNumber {
  std::string key;
  double initial;
};
std::vector<StageNumber> numbers_of(const Graph& pipeline);

/// The parameters of elementwise stages, in the order of the stages: all but a norm's own.
std::vector<std::string> vectors_of(const Graph& pipeline);
/// All parameters, in the order of the stages.
std::vector<std::string> parameters_of(const Graph& pipeline);
/// x and all parameters, a norm's own first: the order of gradients in a claim.
std::vector<std::string> having_gradients(const Graph& pipeline);

OperandNames operand_names(const Graph& pipeline);

}  // namespace gradproof
