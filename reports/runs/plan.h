// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "reports/runs/run_header.h"

namespace gradproof {

/// One Case of a plan, or a cell of a verb that is cut into cells.
struct PlannedCase {
  std::string text;
  double cost = 0;  ///< estimated, in no unit: what matters are the costs beside each other
};

/// A plan of what is to be judged: each Case once, in the order of their texts.
struct RunPlan {
  RunKind kind = RunKind::check;
  std::vector<PlannedCase> cases;
  std::string request = {};  ///< of cells: what was asked for, in the verb's own words
};

/// Makes a plan, which is sorted; a Case that stands twice is kept once.
RunPlan make_plan(RunKind kind, std::vector<PlannedCase> cases, const std::string& request = "");

/// 16 hex digits that stand for a verb and a Case.
std::string case_id(RunKind kind, const std::string& text);
/// 16 hex digits that stand for a verb, a request and Cases in any order.
std::string plan_id(RunKind kind, std::vector<std::string> cases, const std::string& request = "");
std::string plan_id(const RunPlan& plan);

/// Sealed lines: a head with the plan's id, and one for each Case (docs/records.md).
std::string plan_lines(const RunPlan& plan);

/// Throws UsageError for a file that cannot be read, and InstrumentError (`file:line: ...`) for one
/// that is no plan or was changed: a wrong checksum, Cases that are not those of its id.
RunPlan read_plan(const std::string& path);

/// The Cases of one shard, in the plan's order. Dearest first, each Case goes to the shard with the
/// least cost so far (Graham's rule of the longest processing time: no shard costs more than 4/3 of
/// the best that can be). All shards together have each Case once, whoever cuts where.
std::vector<std::string> cases_of_shard(const RunPlan& plan, const Shard& shard);

}  // namespace gradproof
