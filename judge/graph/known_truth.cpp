// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/known_truth.h"

#include "core/graph/cancellation/cancellation.h"

namespace gradproof {
namespace {

/// rstd of one number alone is 1/sqrt(eps).
bool is_of_one_number(const Claim& claim) {
  return claim.batch_statistics() && (claim.groups() > 0 ? claim.block_width() : claim.rows()) == 1;
}

}  // namespace

bool may_be_doubted(std::optional<KnownTruth> known) {
  return !known || known == KnownTruth::constant;
}

std::optional<KnownTruth> known_truth(const Graph& graph, const GraphExtents& extents,
                                      const std::string& tensor, const Discrepancy& found) {
  if (found.elements == 0) return KnownTruth::no_elements;
  if (has_name(graph.outputs, tensor))
    return is_constant(graph, extents, tensor) ? std::optional(KnownTruth::constant) : std::nullopt;
  const std::string of = tensor.substr(2);
  if (gradient_vanishes(graph, extents, of)) return KnownTruth::vanishes;
  const bool uniform = found.elements > 1 && gradient_is_uniform(graph, extents, of);
  return uniform ? std::optional(KnownTruth::constant) : std::nullopt;
}

std::optional<KnownTruth> known_truth(const Claim& claim, const std::string& tensor,
                                      const Discrepancy& found) {
  if (found.elements == 0) return KnownTruth::no_elements;
  const Role role = claim.tensor(tensor).role;
  if (role == Role::gradient) return known_truth(claim.graph, claim.extents, tensor, found);
  if (tensor == "rstd" && is_of_one_number(claim)) return KnownTruth::constant;
  if (role != Role::output || tensor != "y") return std::nullopt;
  return known_truth(claim.graph, claim.extents, claim.graph.outputs.front(), found);
}

}  // namespace gradproof
