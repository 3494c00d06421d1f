// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// The tensors of a run that are explained, and the claim by which one of them was judged; nothing
/// for a tensor that is not explained.
struct ExplainedRun {
  const Tensors& inputs;
  const Tensors& statistics;  ///< that gradients start from, or none (FurtherInputs)
  const Tensors& got;
  std::byte unwritten;  ///< the byte of memory that nobody wrote
  std::function<std::optional<GraphClaim>(const std::string& tensor)> claim_of;
};

/// Adds the diagnosis of each wrong output, or, where no output is wrong, of each wrong gradient: a
/// wrong output would make the gradients wrong too.
void add_diagnoses(const ExplainedRun& run, std::vector<Record>& records);

}  // namespace gradproof
