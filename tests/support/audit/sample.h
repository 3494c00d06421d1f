// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <limits>

#include "core/compare/record.h"

namespace gradproof {

/// A certified row with a V: order 4 falls by 2^4 a step from the right and rises by 2 to the left.
inline AuditRow sample_row() {
  AuditRow row;
  row.tensor = "d_x";
  row.shape = {5, 3};
  row.entries = 15;
  row.digits = 29.5;
  row.median_digits = 31.25;
  row.estimate = 29.0;
  row.worst_index = 4;
  row.worst_difference = std::numeric_limits<double>::quiet_NaN();
  row.worst_adjoint = -0.0;
  row.order = 4;
  row.log2_step = -20;
  row.reach = "column";
  row.method = "statistics";
  row.arithmetic = "double-double";
  row.escalated = 2;
  for (int step = 0; step >= -40; step -= 4) {
    SweepPoint point;
    point.log2_step = step;
    for (std::size_t k = 0; k < point.error.size(); ++k) {
      const int order = 2 * (static_cast<int>(k) + 1);
      point.error[k] = std::ldexp(1, order * step) + std::ldexp(1, -104 - step);
      point.own[k] = 2 * point.error[k];
    }
    row.sweep.push_back(point);
  }
  row.sweep.back().error[2] = std::numeric_limits<double>::infinity();
  row.witnesses = {
      {Witness::kernel, WitnessVerdict::agrees, 6.5, 0.42, 0, {}, ""},
      {Witness::libtorch, WitnessVerdict::agrees, 15.25, 0.125, 0, {}, "LibTorch float64"},
      {Witness::dual_numbers,
       WitnessVerdict::agrees,
       std::numeric_limits<double>::infinity(),
       NAN,
       0,
       {},
       ""},
      {Witness::second_order, WitnessVerdict::silent, NAN, NAN, 0, {}, "declared once only"}};
  row.seconds = 0.25;
  row.verdict = Outcome::certified;
  return row;
}

/// The sample row with a kernel that is wrong, and two entries at a kink.
inline AuditRow wrong_row() {
  AuditRow row = sample_row();
  row.witnesses[0] = {Witness::kernel, WitnessVerdict::wrong, 0.5, 4e6, 15, {14, 3}, "off by 1/d"};
  row.inconclusive = {{OpenReason::kink, 2, 7}};
  row.wrong = 3;
  row.wrong_entries = {1, 2, 4};
  row.verdict = Outcome::wrong;
  return row;
}

inline Record record_of(const AuditRow& row) {
  Record blank;
  blank.case_text = "sample rows=5";
  blank.kernel = "sample";
  return audit_record(blank, row);
}

}  // namespace gradproof
