// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/audit_target.h"

#include <ctime>

#include "oracles/differences/messages.h"
#include "oracles/differences/pipeline_target.h"
#include "oracles/differences/tensor_audit.h"
#include "oracles/oracle.h"

namespace gradproof {
namespace {

constexpr int kDoubleDoubleDigits = 20;

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

AuditRow row_of(const AuditedTensor& tensor, AuditArithmetic arithmetic) {
  AuditRow row;
  row.tensor = "d_" + tensor.name;
  row.shape = tensor.shape;
  row.reach = name_of(tensor.reach);
  row.arithmetic = name_of(arithmetic);
  return row;
}

AuditRow audited(const TensorTask& task) {
  const double start = processor_seconds();
  AuditRow row = row_of(task.target.tensors()[task.tensor], task.arithmetic);
  if (numel(row.shape) == 0 || task.target.blocks() == 0)
    return inconclusive(std::move(row), "the tensor has no entries");
  LossCache losses(task.target);
  StepSelection selection = select_step(losses, task.tensor, task.arithmetic, task.aim);
  row.order = order_of(selection.choice.order_index);
  row.log2_step = selection.choice.log2_step;
  row.method = name_of(selection.method);
  row.sweep = selection.sweep;
  row.curve = selection.curve;
  const bool one = task.target.in_one_unit(task.tensor);
  const EntryTally tally = one ? audit_by_unit(task, selection) : audit_by_sum(task, selection);
  tally.fill_in(row);
  row = with_verdict(std::move(row), tally, selection.objection);
  row.seconds = processor_seconds() - start;
  return row;
}

}  // namespace

std::vector<AuditRow> audit_target(const AuditTarget& target, const AuditOptions& options) {
  const AuditArithmetic arithmetic = options.digits > kDoubleDoubleDigits
                                         ? AuditArithmetic::triple_double
                                         : AuditArithmetic::double_double;
  std::vector<AuditRow> rows;
  for (std::size_t k = 0; k < target.tensors().size(); ++k)
    rows.push_back(
        audited({target, k, arithmetic, {options.digits, options.direct}, options.entries}));
  return rows;
}

std::vector<AuditRow> audit(const Claim& claim, const Tensors& inputs,
                            const AuditOptions& options) {
  return audit_target(PipelineTarget(claim, inputs), options);
}

}  // namespace gradproof
