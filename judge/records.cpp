// SPDX-License-Identifier: Apache-2.0
#include "judge/records.h"

#include <fmt/format.h>

#include "properties/laws/law.h"
#include "simt/device.h"

namespace gradproof {

Context context_of(const Case& c) {
  const bool cuda = c.is("device", "cuda");
  Context context{cuda ? "cuda" : "cpu", "executor sm_90", GRADPROOF_TOOLKIT, GRADPROOF_VERSION};
  if (const auto device = cuda ? simt::device_info() : std::nullopt) context.device = device->name;
  return context;
}

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

Record findings_record(const Record& blank, const std::vector<simt::Finding>& findings) {
  Record record = blank;
  record.tensor = kExecution;
  record.witness = record.context.backend == "cuda" ? "guard bands" : "CPU executor";
  record.verdict = {Outcome::failed, simt::text_of(findings)};
  return record;
}

Record skipped_record(const Record& blank, const std::string& reason) {
  Record record = blank;
  record.tensor = kExecution;
  record.verdict = {Outcome::skipped, reason};
  return record;
}

namespace {

std::vector<Record> records_of(const Law& law, const Kernel& kernel, const Case& c,
                               const Record& blank) {
  std::vector<Record> records;
  for (Finding& finding : check_law(law, kernel, c)) {
    Record record = blank;
    record.tensor = std::move(finding.quantity);
    record.witness = "law " + law.name;
    record.shape = std::move(finding.shape);
    record.figures = std::move(finding.discrepancy);
    record.verdict = std::move(finding.verdict);
    record.why = finding.why;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

std::vector<Record> law_records(const Kernel& kernel, const Case& c, const Record& blank) {
  if (!c.is("law", "all")) return records_of(law_named(c.text("law")), kernel, c, blank);
  std::vector<Record> all;
  const Claim claim = kernel.claim(c);
  for (const Law& law : laws()) {
    if (!law.applies(claim)) continue;
    for (Record& record : records_of(law, kernel, c, blank)) {
      record.tensor = law.name + ": " + record.tensor;  // two laws may look at one quantity
      all.push_back(std::move(record));
    }
  }
  return all;
}

}  // namespace gradproof
