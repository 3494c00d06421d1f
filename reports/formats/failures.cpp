// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/failures.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "reports/audit/audit_text.h"
#include "reports/text/evidence.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

/// What the audit says of (case, tensor).
using Diagnoses = std::map<std::pair<std::string, std::string>, std::string>;

Diagnoses diagnoses_of(const Report& report) {
  Diagnoses all;
  if (report.audit)
    for (const Record& r : report.audit->stored.records)
      if (r.verdict.outcome != Outcome::certified && !r.verdict.reason.empty())
        all[{r.case_text, r.tensor}] = r.verdict.reason;
  return all;
}

}  // namespace

bool is_failure(Outcome outcome) {
  return is_wrong(outcome) || outcome == Outcome::instrument_broken;
}

int severity_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::crashed:
      return 0;
    case Outcome::timed_out:
      return 1;
    case Outcome::nondeterministic:
      return 2;
    case Outcome::instrument_broken:
      return 4;
    default:
      return 3;
  }
}

bool is_worse(const WrongTensor& a, const WrongTensor& b) {
  const int severity_a = severity_of(a.record->verdict.outcome);
  const int severity_b = severity_of(b.record->verdict.outcome);
  if (severity_a != severity_b) return severity_a < severity_b;
  return a.ratio() > b.ratio();
}

double WrongTensor::ratio() const {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (record->measured() == Measured::comparison)
    return record->discrepancy().elements > 0 ? record->discrepancy().max_ratio : kUnknown;
  double largest = 0;
  for (const AuditWitness& w : record->audit().witnesses)
    if (w.ratio > largest) largest = w.ratio;
  return largest;
}

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
      if (!is_failure(r.verdict.outcome)) continue;
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

std::string message_of(const WrongTensor& failure) {
  const Record& r = *failure.record;
  if (r.measured() == Measured::comparison) return evidence(r, failure.commands) + "\n";
  return fmt::format("{}\n{}", r.case_text, audit_table({r}));
}

}  // namespace gradproof
