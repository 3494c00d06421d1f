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
  const double at_rest = target.graph().elements() * static_cast<double>(target.blocks());
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

AuditRow audited(const GraphTarget& target, const AuditOptions& options) {
  AuditRow row;
  try {
    refuse_large(target, options);
    row = audit_target(target, options)[0];
    if (target.graph().parts() > 0 && numel(row.shape) > 0)
      row.witnesses.push_back(dual_numbers_witness(target, options.digits));
  } catch (const AuditTooLarge& why) {
    return too_large(target, why);
  }
  return row;
}

}  // namespace

std::vector<AuditRow> audit_graph(const GraphClaim& claim, const Tensors& inputs,
                                  const AuditOptions& options, const EditClaims& edits) {
  const AuditedGraph graph(claim, inputs);
  std::vector<AuditRow> rows;
  for (std::size_t k = 0; k < claim.graph.tensors.size(); ++k) {
    const GraphTensor& tensor = claim.graph.tensors[k];
    if (!has_gradient(tensor.part)) continue;
    const auto edit = edits.find(tensor.name);
    rows.push_back(
        audited(GraphTarget(graph, k, edit == edits.end() ? nullptr : edit->second), options));
  }
  const auto second = second_order_witnesses(graph);
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k].entries > 0)
      for (const AuditWitness& witness : second[k]) rows[k].witnesses.push_back(witness);
  return rows;
}

std::map<std::string, std::vector<AuditWitness>, std::less<>> derivative_witnesses(
    const GraphClaim& claim, const Tensors& inputs, int digits) {
  const AuditedGraph graph(claim, inputs);
  const auto second = second_order_witnesses(graph);
  std::map<std::string, std::vector<AuditWitness>, std::less<>> all;
  for (std::size_t k = 0, t = 0; k < claim.graph.tensors.size(); ++k) {
    const GraphTensor& tensor = claim.graph.tensors[k];
    if (!has_gradient(tensor.part)) continue;
    std::vector<AuditWitness>& witnesses = all[gradient_name(tensor.name)];
    witnesses.push_back(dual_numbers_or_silence(GraphTarget(graph, k), digits));
    for (const AuditWitness& witness : second[t]) witnesses.push_back(witness);
    ++t;
  }
  return all;
}

}  // namespace gradproof
