// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "reports/runs/plan.h"
#include "reports/runs/run_folder.h"
#include "reports/runs/run_writer.h"
#include "reports/runs/store.h"
#include "tests/support/report_sample.h"

namespace gradproof {

/// A passed tensor of a Case.
inline Record of_case(const std::string& text, const std::string& tensor,
                      const std::string& digest) {
  Record r = sample_pass();
  r.case_text = text;
  r.tensor = tensor;
  r.digest = digest;
  return r;
}

/// A run of all Cases of its plan.
inline RunHeader sample_header(const std::vector<std::string>& cases,
                               Measured kind = Measured::comparison) {
  RunHeader h;
  h.kind = kind;
  h.command = {"gradproof", "check"};
  h.host = "here";
  h.system = "Linux";
  h.worker = "0123456789abcdef";
  h.context = sample_context();
  h.plan = plan_id(kind, cases);
  h.plan_cases = std::ssize(cases);
  h.cases = cases;
  return h;
}

/// The end of a run that was complete.
inline RunEnd sample_end() { return {"complete", "", 0, "", 0, {}}; }

/// Writes a whole run of the Records, those of a Case in a row. Returns its id.
inline std::string write_run(const std::string& folder, RunHeader header,
                             const std::vector<std::vector<Record>>& cases) {
  RunWriter writer(folder, std::move(header));
  for (const auto& records : cases) writer.append(records);
  writer.end(sample_end());
  return writer.header().id;
}

/// A whole run of one Case with one Record.
inline std::string write_run(const std::string& folder, const Record& record) {
  return write_run(folder, sample_header({record.case_text}, record.measured()), {{record}});
}

inline StoredRecords last_records(const std::string& folder, Measured kind = Measured::comparison) {
  return records_of(last_run(folder, kind).value());
}

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace gradproof
