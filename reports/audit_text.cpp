// SPDX-License-Identifier: Apache-2.0
#include "reports/audit_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/tensor.h"

namespace gradproof {
namespace {

constexpr double kMostDigits = 50;

int digits_of(double error) {
  if (!(error > 0)) return error == 0 ? static_cast<int>(kMostDigits) : 0;
  return static_cast<int>(std::clamp(-std::log10(error), 0.0, kMostDigits));
}

std::string row_line(const AuditRow& row) {
  return fmt::format(
      "{:<12} {:<12} {} of {} entries  digits {:.1f} (median {:.1f})  worst {}  difference {:.9g}  "
      "adjoint {:.9g}  order {}  step 2^{}{}\n",
      row.verdict, row.tensor, row.entries, numel(row.shape), row.digits, row.median_digits,
      index_text(row.shape, row.worst_index), row.worst_difference, row.worst_adjoint, row.order,
      row.log2_step, row.reason.empty() ? "" : "  " + row.reason);
}

}  // namespace

std::string v_curve(const AuditRow& row) {
  std::string text;
  for (const SweepPoint& point : row.sweep)
    text += fmt::format("  2^{:<5} {:>9.1e}  {}{}\n", point.log2_step, point.error[1],
                        std::string(static_cast<std::size_t>(digits_of(point.error[1])), '#'),
                        point.log2_step == row.log2_step ? " <- taken" : "");
  return text;
}

std::string audit_table(const std::vector<AuditRow>& rows) {
  std::string text;
  for (const AuditRow& row : rows) text += row_line(row);
  for (const AuditRow& row : rows)
    if (!row.sweep.empty())
      text += fmt::format("{}: worst error of the sampled entries, a # for each digit, by step\n{}",
                          row.tensor, v_curve(row));
  return text;
}

}  // namespace gradproof
