// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/audit/audit_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/graph_parts.h"
#include "core/parallel.h"
#include "oracles/differences/audit_target.h"

namespace gradproof {
namespace {

/// Elements of steps that are evaluated in packs for one tensor, at most: some two minutes on one
/// core, so that a worker is not silent for longer than its deadline.
constexpr double kMost = 1e9;

void refuse_large(const GraphTarget& target, const AuditOptions& options) {
  const double moved = target.evaluations(options.entries) * target.elements_behind();
  const double at_rest = target.graph().elements() * static_cast<double>(target.graph().parts());
  if (moved + at_rest > kMost)
    throw AuditTooLarge(fmt::format(
        "differences of its entries evaluate {:.1e} elements of steps, {:.0e} at most; smaller "
        "extents take less{}",
        moved + at_rest, kMost, at_rest < kMost / 2 ? ", and so does --entries sample:32" : ""));
}

/// All that can be said of a tensor that takes too long.
AuditRow too_large(const GraphTarget& target, const AuditTooLarge& why) {
  AuditRow row;
  row.tensor = gradient_name(target.tensors()[0].name);
  row.shape = target.tensors()[0].shape;
  row.entries = numel(row.shape);
  row.reason = why.what();
  row.inconclusive.push_back({OpenReason::cancellation, row.entries, 0});
  return row;
}

AuditWitness dual_numbers_or_silence(const GraphTarget& target, int digits) {
  AuditWitness witness;
  witness.name = Witness::dual_numbers;
  witness.text = "no elements";
  if (target.graph().parts() == 0 || numel(target.tensors()[0].shape) == 0) return witness;
  try {
    return dual_numbers_witness(target, digits);
  } catch (const AuditTooLarge& why) {
    witness.text = why.what();
    return witness;
  }
}

AuditRow differences(const GraphTarget& target, const AuditOptions& options) {
  try {
    refuse_large(target, options);
    return audit_target(target, options)[0];
  } catch (const AuditTooLarge& why) {
    return too_large(target, why);
  }
}

/// Calls visit(target) for each tensor that has a gradient.
template <class Visit>
void each_target(const AuditedGraph& graph, const EditClaims& edits, const Visit& visit) {
  const std::vector<GraphTensor>& tensors = graph.claim().graph.tensors;
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    if (!has_gradient(tensors[k].part)) continue;
    const auto edit = edits.find(tensors[k].name);
    visit(GraphTarget(graph, k, edit == edits.end() ? nullptr : edit->second));
  }
}

}  // namespace

std::vector<AuditRow> audit_graph(const GraphClaim& claim, const Tensors& inputs,
                                  const AuditOptions& options, const EditClaims& edits) {
  const AuditedGraph graph(claim, inputs);
  std::vector<AuditRow> rows;
  each_target(graph, edits, [&](const GraphTarget& target) {
    AuditRow& row = rows.emplace_back(differences(target, options));
    row.witnesses.push_back(dual_numbers_or_silence(target, options.digits));
  });
  const auto second = second_order_witnesses(graph);
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (const AuditWitness& witness : second[k]) rows[k].witnesses.push_back(witness);
  return rows;
}

std::vector<AuditRow> graph_differences(const GraphClaim& claim, const Tensors& inputs,
                                        const AuditOptions& options, const EditClaims& edits) {
  const AuditedGraph graph(claim, inputs);
  std::vector<AuditRow> rows;
  each_target(graph, edits,
              [&](const GraphTarget& target) { rows.push_back(differences(target, options)); });
  return rows;
}

}  // namespace gradproof
