// SPDX-License-Identifier: Apache-2.0
#include "judge/records.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/graph_case.h"
#include "kernels/harness/run_watch.h"
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
  record.kernel = system_name(c);
  if (c.schema().has("mutant") && !c.is("mutant", "none")) record.kernel += "/" + c.text("mutant");
  record.dtype = c.text("dtype");
  record.part_of = part_of(c);
  record.mode = c.schema().has("mode") ? c.text("mode") : kAnyMode;
  record.context = context_of(c);
  return record;
}

Record findings_record(const Record& blank, const std::vector<simt::Finding>& findings) {
  Record record = blank;
  record.tensor = kExecution;
  record.witness = record.context.backend == "cuda" ? "guard bands" : "CPU executor";
  const bool crashed = !findings.empty() && findings.front().kind == kCrash;
  record.verdict = {crashed ? Outcome::crashed : Outcome::failed, simt::text_of(findings)};
  return record;
}

Record skipped_record(const Record& blank, const std::string& reason) {
  Record record = blank;
  record.tensor = kExecution;
  record.verdict = {Outcome::skipped, reason};
  return record;
}

namespace {

Record record_of(const Law& law, Finding finding, const Record& blank) {
  Record record = blank;
  record.tensor = std::move(finding.quantity);
  record.witness = "law " + law.name;
  record.shape = std::move(finding.shape);
  record.figures = std::move(finding.discrepancy);
  record.verdict = std::move(finding.verdict);
  record.why = finding.why;
  return record;
}

/// The weight of a finding among the law's: a wrong one is first, then a broken instrument, a pass.
int weight_of(const Finding& finding) {
  if (is_wrong(finding.verdict.outcome)) return 3;
  if (finding.verdict.outcome == Outcome::instrument_broken) return 2;
  return finding.verdict.outcome == Outcome::passed ? 1 : 0;
}

/// The law's one Record of the Case: its worst finding, under the law's name. Nothing if the law
/// has nothing to say of such numbers.
std::optional<Record> worst_of(const Law& law, std::vector<Finding> findings, const Record& blank) {
  const auto lighter = [](const Finding& a, const Finding& b) {
    return std::pair(weight_of(a), a.discrepancy.max_ratio) <
           std::pair(weight_of(b), b.discrepancy.max_ratio);
  };
  if (findings.empty()) return std::nullopt;
  Finding& worst = *std::max_element(findings.begin(), findings.end(), lighter);
  if (worst.quantity == kExecutionQuantity && weight_of(worst) == 0) return std::nullopt;
  if (!worst.verdict.reason.empty())
    worst.verdict.reason = worst.quantity + ": " + worst.verdict.reason;
  worst.quantity = law.name;
  return record_of(law, std::move(worst), blank);
}

/// Laws about launches say nothing of code that is called: the harness does not launch it.
std::string silence_of_called(const Law& law, const Case& c) {
  return law.of_launches && is_graph_in_braces(c)
             ? "it asks about memory and schedules of kernels that are launched here"
             : "";
}

std::vector<Record> records_of_one(const Law& law, const KernelOfLaw& kernel, const Case& c,
                                   const Record& blank) {
  if (const std::string silence = silence_of_called(law, c); !silence.empty())
    throw UsageError(
        fmt::format("law={} says nothing of '{}': {}", law.name, to_string(c), silence));
  std::vector<Record> records;
  for (Finding& finding : check_law(law, kernel(law), c))
    records.push_back(record_of(law, std::move(finding), blank));
  return records;
}

}  // namespace

Record without_gradients(const Case& c, const Record& blank) {
  AuditRow row;
  row.tensor = kExecution;
  row.shape = {0};
  row.reason =
      c.is("op", "forward") ? "op=forward asks for no gradients" : "there are no gradients";
  return audit_record(blank, row);
}

std::vector<Record> law_records(const KernelOfLaw& kernel, const Case& c, const Record& blank) {
  if (!c.is("law", "all")) return records_of_one(law_named(c.text("law")), kernel, c, blank);
  std::vector<Record> records;
  for (const Law& law : laws()) {
    if (law.only_by_name || !silence_of_called(law, c).empty()) continue;
    const Kernel asked = kernel(law);
    if (!law.applies(asked.claim(c))) continue;
    if (auto record = worst_of(law, check_law(law, asked, c), blank))
      records.push_back(*std::move(record));
  }
  if (records.empty()) records.push_back(skipped_record(blank, "no law says anything of it"));
  return records;
}

}  // namespace gradproof
