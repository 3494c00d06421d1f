// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/failures.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/audit/audit_text.h"
#include "reports/causes/severity.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

/// The audit's diagnosis by (case, tensor).
using Diagnoses = std::map<std::pair<std::string, std::string>, std::string>;

Diagnoses diagnoses_of(const Report& report) {
  Diagnoses all;
  if (report.audit)
    for (const Record& r : report.audit->stored.records)
      if (r.verdict.outcome != Outcome::certified && !r.verdict.reason.empty())
        all[{r.case_text, r.tensor}] = r.verdict.reason;
  return all;
}

/// The diagnosis of the first wrong tensor that has one.
std::string diagnosis_of(const WrongCase& wrong, const Diagnoses& diagnoses) {
  for (const Record* r : wrong.wrong) {
    const auto found = diagnoses.find({r->case_text, r->tensor});
    if (found != diagnoses.end()) return found->second;
  }
  return "";
}

bool is_worse(const WrongTensor& a, const WrongTensor& b) {
  return is_more_severe(*a.record, *b.record);
}

}  // namespace

double WrongTensor::ratio() const { return error_over_bound(*record); }

std::string FailureGroup::title() const {
  return fmt::format("{} {} {} {}", name_of(worst().record->verdict.outcome), kernel, tensor,
                     dtype);
}

std::string FailureGroup::summary() const {
  const std::string text = fmt::format("{} of {} {} wrong", failures.size(), judged,
                                       judged == 1 ? "tensor is" : "tensors are");
  const double ratio = worst().ratio();
  return ratio > 1 && worst().record->tensor != kExecution
             ? fmt::format("{}, worst error/bound {}", text, ratio_text(ratio))
             : text;
}

std::vector<FailureGroup> failure_groups(const Report& report) {
  const Diagnoses diagnoses = diagnoses_of(report);
  std::map<std::tuple<Measured, std::string, std::string, std::string>, FailureGroup> groups;
  for (const ReportedRun* run : runs_of(report))
    for (const Record& r : run->stored.records) {
      FailureGroup& group = groups[{r.measured(), r.kernel, r.dtype, r.tensor}];
      ++group.judged;
      if (!is_fault(r)) continue;
      const auto diagnosis = diagnoses.find({r.case_text, r.tensor});
      group.failures.push_back(
          {&r, diagnosis == diagnoses.end() ? "" : diagnosis->second, run->commands()});
    }
  std::vector<FailureGroup> sorted;
  for (auto& [name, group] : groups) {
    if (group.failures.empty()) continue;
    std::tie(group.measured, group.kernel, group.dtype, group.tensor) = name;
    std::stable_sort(group.failures.begin(), group.failures.end(), is_worse);
    sorted.push_back(std::move(group));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const FailureGroup& a, const FailureGroup& b) {
    return is_worse(a.worst(), b.worst());
  });
  return sorted;
}

std::vector<FailureGroup> without_repetition(const std::vector<FailureGroup>& groups) {
  std::set<std::pair<std::string, std::string>> checked;  // case, tensor
  for (const FailureGroup& group : groups)
    if (group.measured == Measured::comparison)
      for (const WrongTensor& failure : group.failures)
        checked.insert({failure.record->case_text, failure.record->tensor});
  std::vector<FailureGroup> left;
  for (FailureGroup group : groups) {
    if (group.measured == Measured::differences)
      std::erase_if(group.failures, [&](const WrongTensor& f) {
        return checked.contains({f.record->case_text, f.record->tensor});
      });
    if (!group.failures.empty()) left.push_back(std::move(group));
  }
  return left;
}

std::vector<WrongTensor> by_severity(const std::vector<FailureGroup>& groups) {
  std::vector<WrongTensor> all;
  for (const FailureGroup& group : groups)
    all.insert(all.end(), group.failures.begin(), group.failures.end());
  std::stable_sort(all.begin(), all.end(), is_worse);
  return all;
}

std::string ReportedCause::title() const {
  std::vector<std::string> tensors = cause.followers();
  tensors.insert(tensors.begin(), cause.first().tensor);
  return fmt::format("{} {}: {}", name_of(cause.first().verdict.outcome), cause.kernel,
                     fmt::join(tensors, ", "));
}

std::vector<ReportedCause> reported_causes(const Report& report) {
  const Diagnoses diagnoses = diagnoses_of(report);
  std::set<std::string> checked;
  std::vector<ReportedCause> all;
  for (const ReportedRun* run : runs_of(report))
    for (Cause& cause : causes_of(run->stored.records)) {
      if (cause.measured == Measured::differences)
        std::erase_if(cause.cases,
                      [&](const WrongCase& c) { return checked.contains(c.first().case_text); });
      else
        for (const WrongCase& c : cause.cases) checked.insert(c.first().case_text);
      if (cause.cases.empty()) continue;
      std::string diagnosis = diagnosis_of(cause.cases.front(), diagnoses);
      all.push_back({std::move(cause), std::move(diagnosis), run->commands()});
    }
  return all;
}

std::string message_of(const WrongTensor& failure) {
  const Record& r = *failure.record;
  if (r.measured() == Measured::comparison) return evidence(r, failure.commands) + "\n";
  return fmt::format("{}\n{}", r.case_text, audit_table({r}));
}

}  // namespace gradproof
