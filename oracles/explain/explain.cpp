// SPDX-License-Identifier: Apache-2.0
#include "oracles/explain/explain.h"

#include <fmt/format.h>

#include "oracles/arithmetic/real.h"
#include "oracles/claim/graph_of_claim.h"
#include "oracles/graph/explain/explain_graph.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/pipeline/geometry.h"

namespace gradproof {
namespace {

/// The text of a unit: "column 5, 64 rows", "row 3, group 1: columns 4 to 7".
std::string unit_text(const Claim& claim, std::int64_t unit) {
  const Geometry geometry(claim);
  if (!geometry.is_grouped()) return fmt::format("column {}, {} rows", unit, claim.rows());
  const std::int64_t first = geometry.first_column(unit);
  return fmt::format("row {}, group {}: columns {} to {}", unit / claim.groups(),
                     geometry.block_of(unit), first, first + geometry.columns() - 1);
}

/// The element as it is judged, from the blocks that decide it.
ExplainedElement judged_element(const Closeup& near, const std::string& tensor,
                                const std::string& target) {
  const TensorSpec& spec = near.claim.tensor(tensor);
  const Tensor like(spec.dtype, spec.layout.shape);
  const FurtherInputs further{statistics_from(near.given), {}};
  const GraphTruths found = std::move(truths_of_graph(graph_of_claim(near.claim, near.inputs),
                                                      near.inputs, {{target, &like}}, further)
                                          .at(target));
  const auto at = static_cast<std::size_t>(near.indices.front());
  return {target, 0, found.truths.at(at), found.escalated[at] != 0};
}

/// The explanation of a buffer's number that no step moves.
Explanation explained_kept(double number) {
  Explanation e;
  e.stored_truth.hi = number;
  e.truth = Real(number).str(30);
  e.fifty_digits = e.fast_decided = e.fast_agrees = true;
  return e;
}

}  // namespace

Explanation explain_element(const Claim& claim, const Tensors& inputs,
                            const std::optional<GivenStatistics>& given, const std::string& tensor,
                            std::int64_t index) {
  const TensorSpec& spec = claim.tensor(tensor);
  const std::string target = target_of(claim, spec);
  if (target.empty())
    return explained_kept(kept_numbers(claim, spec, inputs)[static_cast<std::size_t>(index)]);
  const auto start = spec.role == Role::gradient ? given : std::nullopt;
  ExplainedElement element =
      judged_element(closeup_of(claim, inputs, start, tensor, {index}), tensor, target);
  element.index = index;
  Explanation e =
      explain_in_graph(graph_of_claim(claim, inputs), inputs, element, statistics_from(start));
  if (claim.is_matrix(spec)) e.unit = unit_text(claim, Geometry(claim).unit_of(index));
  return e;
}

std::string largest_term(const Claim& claim, const Tensors& inputs,
                         const std::optional<GivenStatistics>& given, const std::string& tensor,
                         std::int64_t index) {
  const TensorSpec& spec = claim.tensor(tensor);
  const std::string target = target_of(claim, spec);
  if (target.empty() || claim.rows() * claim.cols() == 0) return "";
  const Term term = largest_term_in_graph(graph_of_claim(claim, inputs), inputs, target, index,
                                          statistics_from(given));
  return term.words.empty() ? "" : fmt::format("{} ({:.0f}%)", term.words, 100 * term.share);
}

}  // namespace gradproof
