// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/causes.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/text/number_text.h"

namespace gradproof {
namespace {

/// One failure, and the group of its tensor.
struct Failure {
  const FailureGroup* group;
  const WrongTensor* tensor;
};

bool is_gradient(const Record& r) { return r.tensor.starts_with("d_"); }

/// Whether it ended before it had numbers: that comes before whatever else is wrong.
bool ended(const Record& r) {
  return r.verdict.outcome == Outcome::crashed || r.verdict.outcome == Outcome::timed_out;
}

/// Whether `a` may be the reason of `b`, of one Case. Records of a run lie in the order in which
/// they were judged.
bool leads(const Failure& a, const Failure& b) {
  const auto key = [](const Record& r) { return std::tuple{!ended(r), is_gradient(r), &r}; };
  return key(*a.tensor->record) < key(*b.tensor->record);
}

using Name = std::tuple<Measured, std::string, int, std::string>;

Name name_of_cause(const Failure& lead) {
  const Record& r = *lead.tensor->record;
  return {lead.group->measured, r.kernel, severity_of(r.verdict.outcome), r.tensor};
}

/// The failures of one cause by tensor and type again.
FailureCause cause_of(const std::string& lead, const std::vector<Failure>& failures) {
  std::vector<const FailureGroup*> order;
  std::map<const FailureGroup*, std::vector<WrongTensor>> tensors;
  for (const Failure& failure : failures) {
    if (!tensors.contains(failure.group)) order.push_back(failure.group);
    tensors[failure.group].push_back(*failure.tensor);
  }
  FailureCause cause;
  for (const FailureGroup* group : order) {
    FailureGroup part = *group;
    part.failures = std::move(tensors.at(group));
    std::stable_sort(part.failures.begin(), part.failures.end(), is_worse);
    cause.groups.push_back(std::move(part));
  }
  const auto place = [&](const FailureGroup& group) {
    return std::tuple{group.tensor != lead, is_gradient(*group.worst().record), group.tensor};
  };
  std::stable_sort(
      cause.groups.begin(), cause.groups.end(), [&](const FailureGroup& a, const FailureGroup& b) {
        return place(a) != place(b) ? place(a) < place(b) : is_worse(a.worst(), b.worst());
      });
  return cause;
}

/// A list of names, each once.
std::string list_of(const std::vector<FailureGroup>& groups, std::string FailureGroup::*part) {
  std::vector<std::string> names;
  for (const FailureGroup& group : groups)
    if (std::find(names.begin(), names.end(), group.*part) == names.end())
      names.push_back(group.*part);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::int64_t FailureCause::failures() const {
  std::int64_t count = 0;
  for (const FailureGroup& group : groups) count += std::ssize(group.failures);
  return count;
}

std::string FailureCause::tensors() const { return list_of(groups, &FailureGroup::tensor); }
std::string FailureCause::types() const { return list_of(groups, &FailureGroup::dtype); }

std::string FailureCause::title() const {
  return fmt::format("{} {}: {}", name_of(worst().record->verdict.outcome), groups.front().kernel,
                     tensors());
}

std::string FailureCause::summary() const {
  std::int64_t judged = 0;
  for (const FailureGroup& group : groups) judged += group.judged;
  const std::string text = fmt::format("{} of {} {} wrong in {}", failures(), judged,
                                       judged == 1 ? "tensor is" : "tensors are", types());
  const double ratio = worst().ratio();
  return ratio > 1 && worst().record->tensor != kExecution
             ? fmt::format("{}, worst error/bound of {} {}", text, groups.front().tensor,
                           ratio_text(ratio))
             : text;
}

std::vector<FailureCause> causes_of(const Report& report) {
  const std::vector<FailureGroup> groups = without_repetition(failure_groups(report));
  std::map<std::tuple<Measured, std::string, std::string>, std::vector<Failure>> by_case;
  for (const FailureGroup& group : groups)
    for (const WrongTensor& tensor : group.failures)
      by_case[{group.measured, group.kernel, tensor.record->case_text}].push_back(
          {&group, &tensor});
  std::map<Name, std::vector<Failure>> by_cause;
  for (const auto& [name, failures] : by_case) {
    const Failure& lead = *std::min_element(failures.begin(), failures.end(), leads);
    std::vector<Failure>& all = by_cause[name_of_cause(lead)];
    all.insert(all.end(), failures.begin(), failures.end());
  }
  std::vector<FailureCause> causes;
  for (const auto& [name, failures] : by_cause)
    causes.push_back(cause_of(std::get<3>(name), failures));
  std::stable_sort(causes.begin(), causes.end(), [](const FailureCause& a, const FailureCause& b) {
    return is_worse(a.worst(), b.worst());
  });
  return causes;
}

}  // namespace gradproof
