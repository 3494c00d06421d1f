// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/trend.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/baseline/alike_cases.h"
#include "reports/baseline/comparison.h"
#include "reports/runs/run_folder.h"

namespace gradproof {
namespace {

TrendPoint point_of(const RunHeader& header, const StoredRecords& stored) {
  TrendPoint point{header.id, header.started, header.checkout.commit, 0, 0, 0, {}};
  std::set<std::string> timed;
  for (const Record& r : stored.records) {
    ++point.tensors;
    point.wrong += is_wrong(r.verdict.outcome);
    if (timed.insert(r.case_text).second) point.seconds += r.seconds;
    if (!has_figures(r)) continue;
    double& largest = point.max_ratio[r.kernel];
    largest = std::max(largest, r.discrepancy().max_ratio);
  }
  return point;
}

/// Runs that are not drawn, by the reason.
struct LeftOut {
  std::int64_t plans = 0, contexts = 0, incomplete = 0;

  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const auto& [count, what] : {std::pair{plans, "of other plans"},
                                      {contexts, "of other contexts"},
                                      {incomplete, "that are incomplete"}})
      if (count > 0)
        texts.push_back(fmt::format("{} {} {}", count, count == 1 ? "run" : "runs", what));
    return texts;
  }
};

}  // namespace

Trend trend_of(const std::vector<std::string>& folders, const RunHeader& shown) {
  std::map<std::string, TrendPoint> points;  // by the run's name, so that a folder may come twice
  LeftOut left_out;
  for (const std::string& folder : folders) {
    const std::vector<std::string> ids = run_ids(folder);
    if (ids.empty()) throw UsageError(fmt::format("no run in '{}'", folder));
    for (const std::string& id : ids) {
      const auto header = read_run_header(run_path(folder, id));
      if (!header || header->kind != Measured::comparison) continue;
      if (header->plan != shown.plan) {
        ++left_out.plans;
      } else if (!are_comparable(header->context, shown.context)) {
        ++left_out.contexts;
      } else {
        const StoredRun run = read_stored_run(folder, id);
        const StoredRecords stored = records_of(run);
        if (stored.incomplete.empty())
          points[id] = point_of(run.header, stored);
        else
          ++left_out.incomplete;
      }
    }
  }
  Trend trend;
  for (auto& [id, point] : points) trend.points.push_back(std::move(point));
  trend.left_out = left_out.texts();
  return trend;
}

}  // namespace gradproof
