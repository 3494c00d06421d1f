// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/audit/audit_graph.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/graph_parts.h"
#include "core/parallel.h"
#include "oracles/graph/audit/graph_function.h"

namespace gradproof {
namespace {

/// Elements of steps that are evaluated for one audit, at most: about a minute and a half on one
/// core, so that a worker is not silent for longer than its deadline.
constexpr double kMost = 5e8;
/// What all evaluations of the whole graph in 400 digits and more cost, in those elements.
constexpr double kInManyDigits = 500;
/// Evaluations for one entry: by two steps in both directions, and in search of kinks.
constexpr double kPerEntry = 6;

/// What one evaluation of the graph takes, in elements of its steps.
double elements_of(const GraphClaim& claim) {
  double elements = 1;
  for (const GraphStep& s : claim.graph.steps) {
    double of_step = static_cast<double>(numel(claim.shape_of(s.value)));
    for (const GraphOperand& o : s.operands)
      if (!o.is_number())
        of_step = std::max(of_step, static_cast<double>(numel(claim.shape_of(o.name))));
    if (graph_stage(s.stage).form == StageForm::contracts)
      of_step = static_cast<double>(numel(claim.shape_of(s.value))) *
                static_cast<double>(claim.extents.at(s.axes.front()));
    elements += of_step;
  }
  return elements;
}

void refuse_large(const GraphClaim& claim, const AuditOptions& options) {
  const double whole = elements_of(claim);
  const std::string cut = block_axis(claim.graph, claim.extents);
  const double slices = cut.empty() ? 1 : static_cast<double>(claim.extents.at(cut));
  const double once = kInManyDigits * whole;
  double moved = 0;
  for (const GraphTensor& t : claim.graph.tensors) {
    if (t.part == TensorPart::labels) continue;
    auto entries = static_cast<double>(numel(claim.shape_of(t.name)));
    if (options.entries > 0) entries = std::min(entries, static_cast<double>(options.entries));
    moved += kPerEntry * entries * whole / (has_name(t.axes, cut) ? slices : 1);
  }
  if (once + moved > kMost)
    throw UsageError(fmt::format(
        "an audit evaluates the graph for each entry: {:.1e} elements of its steps here, {:.0e} at "
        "most; smaller extents take less{}",
        once + moved, kMost, once < kMost / 2 ? ", and so does --entries sample:32" : ""));
}

/// A tensor whose entries nobody can difference, for the loss has no value.
std::vector<AuditRow> not_finite(const GraphClaim& claim) {
  std::vector<AuditRow> rows;
  for (const GraphTensor& t : claim.graph.tensors) {
    if (t.part == TensorPart::labels) continue;
    AuditRow& row = rows.emplace_back();
    row.tensor = gradient_name(t.name);
    row.shape = claim.shape_of(t.name);
    row.entries = numel(row.shape);
    row.reason = "a tensor that the graph is given is not finite";
    row.inconclusive.push_back({OpenReason::not_finite, row.entries, 0});
  }
  return rows;
}

bool is_finite(const Tensors& inputs) {
  return std::all_of(inputs.begin(), inputs.end(), [](const auto& named) {
    for (std::int64_t i = 0; i < named.second.numel(); ++i)
      if (!std::isfinite(named.second.at(i))) return false;
    return true;
  });
}

}  // namespace

std::vector<AuditRow> audit_graph(const GraphClaim& claim, const Tensors& inputs,
                                  const AuditOptions& options) {
  refuse_large(claim, options);
  if (!is_finite(inputs)) return not_finite(claim);
  FunctionOptions own;
  static_cast<AuditOptions&>(own) = options;
  return audit_function_units(units_of_graph<GraphFunction>(claim, inputs, own), own);
}

}  // namespace gradproof
