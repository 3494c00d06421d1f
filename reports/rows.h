// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/record.h"
#include "reports/histogram.h"

namespace gradproof {

/// Judged Cases of one tensor, for a table.
struct TensorRow {
  std::int64_t cases = 0;
  std::int64_t passed = 0;
  std::int64_t trusted = 0;  ///< is_trusted: of these passes those that inputs have proved
  std::int64_t failed = 0;
  std::int64_t mistrusted = 0;
  std::int64_t other = 0;  ///< skipped, incomplete, instrument broken, known failures
  double max_ratio = 0;    ///< over all Cases; so is all below
  double p99_ratio = 0;    ///< the largest of the Cases'
  double max_ulp = 0;
  Histogram histogram{};  ///< of error/bound, all Cases' elements
  std::string worst_case;
  std::string worst_index;
};

/// The largest error in units of the truth's last place: "139", and "over 10000" of a row that
/// passed. kManyUlps says in a report why that is no fault.
std::string ulp_text(const TensorRow& row);
/// True if ulp_text() writes "over 10000".
bool has_many_ulps(const TensorRow& row);
inline constexpr const char* kManyUlps =
    "Over 10000 ulp within the bound: the truth is a sum whose terms cancel, so its last place is "
    "far below the roundings of the terms. The bound counts these roundings and decides.";

/// The rows by kernel and tensor. Records on the execution as a whole are left out.
std::map<std::pair<std::string, std::string>, TensorRow> tensor_rows(
    const std::vector<Record>& records);

/// The name of a cell of the table of kernel, dtype, mode and tensor.
struct CellName {
  std::string kernel, dtype, mode, tensor;
  friend auto operator<=>(const CellName&, const CellName&) = default;
};
using JudgedCell = std::pair<CellName, TensorRow>;

/// All cells of a run of check, sorted by name; records on the execution as a whole are left out.
std::vector<JudgedCell> judged_cells(const std::vector<Record>& records);

/// The seconds of all Cases. Each is counted once: its Records are neighbours.
double seconds_of(const std::vector<Record>& records);

/// Different contexts, in order of appearance.
std::vector<Context> contexts_of(const std::vector<Record>& records);

}  // namespace gradproof
