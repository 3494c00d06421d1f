// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/formats/report.h"
#include "tests/support/report_runs.h"
#include "tests/support/text.h"

namespace gradproof {

/// Cases of the Records, each once.
inline std::vector<std::string> cases_of(const std::vector<Record>& records) {
  std::vector<std::string> cases;
  for (const Record& r : records)
    if (cases.empty() || cases.back() != r.case_text) cases.push_back(r.case_text);
  return cases;
}

inline ReportedRun reported(std::vector<Record> records, Measured kind = Measured::comparison) {
  ReportedRun run{sample_header(cases_of(records), kind), sample_end(), {}};
  run.header.id = "20260102T030405.678Z-abcd";
  run.header.started = "2026-01-02T03:04:05.678Z";
  run.stored.records = std::move(records);
  run.stored.note = "run 20260102T030405.678Z-abcd";
  return run;
}

/// A report on a run of check with these Records.
inline Report report_of(std::vector<Record> records) {
  Report report;
  report.check = reported(std::move(records));
  return report;
}

}  // namespace gradproof
