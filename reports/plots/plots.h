// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/compare/record.h"
#include "reports/baseline/comparison.h"
#include "reports/formats/trend.h"
#include "reports/histogram.h"

namespace gradproof {

// Pictures of what records hold, as SVG for an HTML page. Each names the fields that it is drawn
// from (docs/records.md), and is empty where they hold nothing that could be drawn.

/// `discrepancy.histogram`: elements by error/bound, of all Records.
std::string histogram_plot(const std::vector<Record>& records);

/// `discrepancy.worst`, `first_bad` and `last_bad`: error/bound by the size of the truth. A Record
/// keeps no other elements, so this is one point for each tensor, and those that are wrong.
std::string magnitude_plot(const std::vector<Record>& records);

/// `shape`, `discrepancy.worst_columns`, `first_bad`, `last_bad`, `good_before` and `worst`: where
/// in the tensor the elements are that the Record names, columns across; above them the error/bound
/// of the worst columns.
std::string element_map(const Record& record);

/// `differences.sweep`: the V-curves of orders 2, 4 and 6, solid against the adjoint and dashed
/// what each says of itself; the step taken is marked.
std::string v_curve(const Record& record);

/// The largest error/bound before and now, of every tensor that both have.
std::string before_after_plot(const BaselineComparison& comparison);

/// The largest error/bound of each kernel over runs; of those with the largest of all.
std::string trend_plot(const Trend& trend);

/// `seconds`: of the Cases of each kernel and dtype together, the slowest first.
std::string time_plot(const std::vector<Record>& records);

/// A histogram as small as a line of text.
std::string small_histogram(const Histogram& histogram);

}  // namespace gradproof
