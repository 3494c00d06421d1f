// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/protocol/request.h"
#include "core/case/case.h"
#include "core/compare/record.h"

namespace gradproof {

/// The fake worker's row for a Case's gradient.
inline AuditRow audit_row(const Case& c, const AuditRequest& request) {
  AuditRow row;
  row.tensor = "d_x";
  row.shape = {c.integer("rows"), c.integer("cols")};
  row.entries = request.entries > 0 ? request.entries : numel(row.shape);
  row.digits = request.digits == 33 ? 33.5 : 30.5;
  row.median_digits = 31;
  row.estimate = 30.25;
  row.worst_index = 4;
  row.worst_difference = row.worst_adjoint = 0.25;
  row.log2_step = -40;
  row.reach = "column";
  row.method = request.direct ? "direct" : "statistics";
  row.arithmetic = "double-double";
  row.sweep = {{-20, {1e-3, 1e-6, 1e-9}, {1e-3, 1e-6, 1e-9}},
               {-40, {1e-9, 1e-31, 1e-30}, {1e-9, 1e-30, 1e-29}},
               {-60, {1e-15, 1e-15, 1e-15}, {1e-15, 1e-15, 1e-15}}};
  row.verdict = Outcome::certified;
  return row;
}

/// The row as a Record. With `behave=broken` LibTorch's gradient is out of its bound, and the
/// kernel's too.
inline Record audited(const Case& c, const Record& blank, const AuditRow& row) {
  Record record = audit_record(blank, row);
  if (!c.is("behave", "broken")) return record;
  for (const Witness name : {Witness::libtorch, Witness::kernel}) {
    AuditWitness planted;
    planted.name = name;
    planted.verdict = WitnessVerdict::wrong;
    planted.wrong = 15;
    add_witness(record, planted);
  }
  return record;
}

}  // namespace gradproof
