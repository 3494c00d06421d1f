// SPDX-License-Identifier: Apache-2.0
#include "reports/causes/causes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "reports/causes/severity.h"

namespace gradproof {
namespace {

/// The place of a tensor in the order of computation. A kernel's statistics come behind its outputs
/// by themselves.
int step_of(const Record& r) {
  if (r.tensor == kExecution) return 0;
  return is_gradient(r) ? 2 : 1;
}

/// A module's buffer behind a call is named "after.BUFFER" in a candidate's records, and
/// "after_BUFFER" where a line makes it.
bool is_buffer(const Record& r) {
  return r.tensor.starts_with("after.") || r.tensor.starts_with("after_");
}

/// The place at which the Case's line computes the tensor, so that a value comes before those made
/// of it; behind all of a line if the line does not compute it.
std::size_t place_in_line(const Record& r) {
  for (const char* before : {"{", "; "}) {
    const std::size_t at = r.case_text.find(before + r.tensor + " = ");
    if (at != std::string::npos) return at;
  }
  return std::string::npos;
}

void sort_by_computation(std::vector<const Record*>& wrong) {
  std::stable_sort(wrong.begin(), wrong.end(), [](const Record* a, const Record* b) {
    const bool broken_a = !is_wrong(a->verdict.outcome), broken_b = !is_wrong(b->verdict.outcome);
    if (broken_a != broken_b) return broken_b;
    if (step_of(*a) != step_of(*b)) return step_of(*a) < step_of(*b);
    if (is_buffer(*a) != is_buffer(*b)) return is_buffer(*b);
    const std::size_t place_a = place_in_line(*a), place_b = place_in_line(*b);
    if (place_a != place_b) return place_a < place_b;
    return is_gradient(*a) && error_over_bound(*a) > error_over_bound(*b);
  });
}

FaultyPart part_of(const Record& first) {
  if (!is_wrong(first.verdict.outcome)) return FaultyPart::instrument;
  constexpr std::array kParts{FaultyPart::execution, FaultyPart::forward, FaultyPart::backward};
  return kParts[static_cast<std::size_t>(step_of(first))];
}

/// A Case of one run, with its Records in their order.
struct JudgedCase {
  std::vector<const Record*> records;
};

/// The Cases in the order in which they first appear.
std::vector<JudgedCase> cases_of(const std::vector<const Record*>& records) {
  std::map<std::tuple<Measured, std::string, std::string>, std::size_t> places;
  std::vector<JudgedCase> cases;
  for (const Record* r : records) {
    const auto [place, is_new] =
        places.try_emplace({r->measured(), r->kernel, r->case_text}, cases.size());
    if (is_new) cases.emplace_back();
    cases[place->second].records.push_back(r);
  }
  return cases;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

using KernelCauses = std::map<FaultyPart, Cause>;

const Record& worst_of(const KernelCauses& causes) {
  const Record* worst = nullptr;
  for (const auto& [part, cause] : causes)
    if (worst == nullptr || is_more_severe(cause.cases.front().worst(), *worst))
      worst = &cause.cases.front().worst();
  return *worst;
}

void add_case(KernelCauses& causes, const JudgedCase& judged) {
  WrongCase wrong;
  wrong.judged = static_cast<std::int64_t>(judged.records.size());
  for (const Record* r : judged.records)
    if (is_fault(*r)) wrong.wrong.push_back(r);
  if (wrong.wrong.empty()) return;
  sort_by_computation(wrong.wrong);
  const Record& first = wrong.first();
  Cause& cause = causes[part_of(first)];
  cause.kernel = first.kernel;
  cause.part = part_of(first);
  cause.measured = first.measured();
  add_once(cause.dtypes, first.dtype);
  cause.cases.push_back(std::move(wrong));
}

}  // namespace

std::string_view name_of(FaultyPart part) {
  constexpr std::array<std::string_view, 4> kNames{"execution", "forward", "backward",
                                                   "instrument"};
  return kNames[static_cast<std::size_t>(part)];
}

bool is_gradient(const Record& r) { return r.tensor.starts_with("d_"); }

const Record& WrongCase::worst() const {
  return **std::min_element(wrong.begin(), wrong.end(), [](const Record* a, const Record* b) {
    return is_more_severe(*a, *b);
  });
}

std::vector<std::string> Cause::followers() const {
  std::vector<const Record*> others;
  std::set<std::string> named{first().tensor};
  for (const WrongCase& c : cases)
    for (const Record* r : c.wrong)
      if (named.insert(r->tensor).second) others.push_back(r);
  std::stable_sort(others.begin(), others.end(),
                   [](const Record* a, const Record* b) { return step_of(*a) < step_of(*b); });
  std::vector<std::string> names;
  for (const Record* r : others) names.push_back(r->tensor);
  return names;
}

std::vector<Cause> causes_of(const std::vector<const Record*>& records) {
  using Kernel = std::pair<Measured, std::string>;
  std::map<Kernel, KernelCauses> kernels;
  std::map<Kernel, std::int64_t> judged_cases;
  for (const JudgedCase& judged : cases_of(records)) {
    const Record& any = *judged.records.front();
    const Kernel kernel{any.measured(), any.kernel};
    ++judged_cases[kernel];
    add_case(kernels[kernel], judged);
  }
  std::erase_if(kernels, [](const auto& kernel) { return kernel.second.empty(); });
  std::vector<KernelCauses*> sorted;
  for (auto& [kernel, causes] : kernels) {
    for (auto& [part, cause] : causes) {
      cause.judged_cases = judged_cases[kernel];
      std::stable_sort(cause.cases.begin(), cause.cases.end(),
                       [](const WrongCase& a, const WrongCase& b) {
                         return is_more_severe(a.worst(), b.worst());
                       });
    }
    sorted.push_back(&causes);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return is_more_severe(worst_of(*a), worst_of(*b));
  });
  std::vector<Cause> all;
  for (KernelCauses* causes : sorted)
    for (auto& [part, cause] : *causes) all.push_back(std::move(cause));
  return all;
}

std::vector<Cause> causes_of(const std::vector<Record>& records) {
  std::vector<const Record*> pointers;
  for (const Record& r : records) pointers.push_back(&r);
  return causes_of(pointers);
}

}  // namespace gradproof
