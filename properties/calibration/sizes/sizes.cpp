// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parallel.h"
#include "properties/calibration/sizes/size_tables.h"
#include "properties/calibration/sizes/size_trial.h"

namespace gradproof {
namespace {

constexpr std::array<std::int64_t, 6> kSizes{64, 256, 1024, 4096, 16384, 65536};
constexpr std::array<DType, 3> kTypes{DType::f32, DType::f16, DType::bf16};
constexpr std::int64_t kSmallest = 64;  ///< a wrong program leaves out 32 terms of it
constexpr std::int64_t kLargest = 1 << 20;

std::vector<std::int64_t> sizes_of(const CalibrationPlan& plan) {
  if (plan.sizes.empty()) return {kSizes.begin(), kSizes.end()};
  for (const std::int64_t size : plan.sizes)
    if (size < kSmallest || size > kLargest || size % 2 != 0)
      throw UsageError(
          fmt::format("--sizes '{}' is no even number from {} to {}", size, kSmallest, kLargest));
  return plan.sizes;
}

/// One row of the tables that nothing was judged of yet.
SizeRow blank_row(const programs::Computation& computation, DType dtype, std::int64_t size) {
  SizeRow row;
  row.computation = computation.name;
  row.dtype = name_of(dtype);
  row.size = size;
  return row;
}

std::string name_of(const SizeRow& row) {
  return fmt::format("{} {} {}", row.computation, row.dtype, row.size);
}

/// The empty rows, those with the longest sums first, because they take the longest.
std::vector<SizeRow> blank_rows(const CalibrationPlan& plan) {
  std::vector<std::int64_t> sizes = sizes_of(plan);
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::vector<SizeRow> rows;
  for (const std::int64_t size : sizes)
    for (const programs::Computation& computation : programs::computations())
      for (const DType dtype : kTypes) rows.push_back(blank_row(computation, dtype, size));
  return rows;
}

SizeRow judged(const CalibrationPlan& plan, SizeRow row) {
  const programs::Computation& computation = programs::computation_named(row.computation);
  const auto draws = static_cast<std::uint64_t>(std::max<std::int64_t>(plan.cases, 1));
  for (std::uint64_t draw = 0; draw < draws; ++draw)
    try_size(plan, computation, plan.seed + draw, row);
  return row;
}

/// The place in the list of computations, so that tables have its order.
std::ptrdiff_t place_of(const SizeRow& row) {
  return &programs::computation_named(row.computation) - programs::computations().data();
}

}  // namespace

void SizeTally::merge(const SizeTally& other) {
  rows.insert(rows.end(), other.rows.begin(), other.rows.end());
}

std::vector<std::string> size_rows(const CalibrationPlan& plan) {
  std::vector<std::string> names;
  for (const SizeRow& row : blank_rows(plan)) names.push_back(name_of(row));
  return names;
}

SizeTally size_tally(const CalibrationPlan& plan, const std::string& name) {
  for (const SizeRow& row : blank_rows(plan))
    if (name_of(row) == name) return {{judged(plan, row)}};
  throw UsageError(fmt::format("no row '{}'", name));
}

CalibrationReport size_report(const CalibrationPlan&, SizeTally tally, double seconds) {
  const auto type_of = [](const SizeRow& row) {
    return std::find(kTypes.begin(), kTypes.end(), parse_dtype(row.dtype)) - kTypes.begin();
  };
  std::sort(tally.rows.begin(), tally.rows.end(), [&](const SizeRow& a, const SizeRow& b) {
    return std::tuple(place_of(a), type_of(a), a.size) <
           std::tuple(place_of(b), type_of(b), b.size);
  });
  CalibrationReport report{{}, tables_of(tally), result_of(tally), 0};
  for (const SizeRow& row : tally.rows)
    report.findings.insert(report.findings.end(), row.alarms.begin(), row.alarms.end());
  report.result.emplace_back("seconds", fmt::format("{:.1f}", seconds));
  if (!report.findings.empty()) {
    report.code = 1;
  } else if (!convicts_any(tally)) {
    report.findings.emplace_back("no wrong program was convicted: a check that cannot fail");
    report.code = 3;
  }
  return report;
}

CalibrationReport calibrate_sizes(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<SizeRow> rows = blank_rows(plan);
  const auto count = static_cast<std::int64_t>(rows.size());
  SizeTally tally;
  std::mutex mutex;
  for_each_index(count, [&](std::int64_t k) {
    const ThreadLimit one(1);
    const SizeRow row = judged(plan, rows[static_cast<std::size_t>(k)]);
    const std::lock_guard lock(mutex);
    tally.rows.push_back(row);
    plan.counted("rows", std::ssize(tally.rows), count);
    for (const std::string& line : row.alarms) plan.progress(line);
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return size_report(plan, std::move(tally), seconds.count());
}

}  // namespace gradproof
