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
  const double at_rest = target.elements() * static_cast<double>(target.blocks());
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

AuditRow audited(const GraphTarget& target, const AuditOptions& options) {
  AuditRow row;
  try {
    refuse_large(target, options);
    row = audit_target(target, options)[0];
    if (target.parts() > 0 && numel(row.shape) > 0)
      row.witnesses.push_back(dual_numbers_witness(target, options.digits));
  } catch (const AuditTooLarge& why) {
    return too_large(target, why);
  }
  return row;
}

}  // namespace

std::vector<AuditRow> audit_graph(const GraphClaim& claim, const Tensors& inputs,
                                  const AuditOptions& options, const EditClaims& edits) {
  std::vector<AuditRow> rows;
  for (std::size_t k = 0; k < claim.graph.tensors.size(); ++k) {
    const GraphTensor& tensor = claim.graph.tensors[k];
    if (!has_gradient(tensor.part)) continue;
    const auto edit = edits.find(tensor.name);
    rows.push_back(audited(
        GraphTarget(claim, inputs, k, edit == edits.end() ? nullptr : edit->second), options));
  }
  return rows;
}

}  // namespace gradproof
