// SPDX-License-Identifier: Apache-2.0
#include "judge/records.h"

#include <fmt/format.h>

#include "judge/check_case.h"
#include "properties/laws/law.h"

namespace gradproof {

Record blank_record(const Case& c) {
  Record record;
  record.case_text = to_string(c);
  record.kernel = c.word();
  if (c.schema().has("mutant") && !c.is("mutant", "none")) record.kernel += "/" + c.text("mutant");
  record.dtype = c.text("dtype");
  record.mode = c.schema().has("mode") ? c.text("mode") : kAnyMode;
  record.context = context_of(c);
  return record;
}

Record findings_record(const Case& c, const std::vector<simt::Finding>& findings) {
  Record record = blank_record(c);
  record.tensor = kExecution;
  record.witness = record.context.backend == "cuda" ? "guard bands" : "CPU executor";
  std::string text;
  for (const simt::Finding& f : findings)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", f.kind, f.text);
  record.verdict = {Outcome::failed, text};
  return record;
}

Record skipped_record(const Case& c, const std::string& reason) {
  Record record = blank_record(c);
  record.tensor = kExecution;
  record.verdict = {Outcome::skipped, reason};
  return record;
}

std::vector<Record> law_records(const Case& c) {
  std::vector<Record> records;
  for (Finding& finding : check_law(c)) {
    Record record = blank_record(c);
    record.tensor = finding.quantity;
    record.witness = "law " + c.text("law");
    record.shape = finding.shape;
    record.discrepancy = std::move(finding.discrepancy);
    record.verdict = std::move(finding.verdict);
    record.why = finding.why;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace gradproof
