// SPDX-License-Identifier: Apache-2.0
#include "reports/runs/judged_cases.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gradproof {
namespace {

bool is_broken(const CaseRecords& answer) {
  return std::any_of(answer.records.begin(), answer.records.end(), [](const Record& r) {
    return r.verdict.outcome == Outcome::instrument_broken;
  });
}

bool same_word(const Record& a, const Record& b) {
  return a.tensor == b.tensor && a.verdict.outcome == b.verdict.outcome && a.digest == b.digest;
}

bool same_answer(const CaseRecords& a, const CaseRecords& b) {
  return a.found == b.found && std::equal(a.records.begin(), a.records.end(), b.records.begin(),
                                          b.records.end(), same_word);
}

const Record* find_tensor(const CaseRecords& answer, const std::string& tensor) {
  const auto found = std::find_if(answer.records.begin(), answer.records.end(),
                                  [&](const Record& r) { return r.tensor == tensor; });
  return found == answer.records.end() ? nullptr : &*found;
}

/// The answer's verdict on a tensor, in words.
std::string word_on(const CaseRecords& answer, const std::string& tensor) {
  const Record* r = find_tensor(answer, tensor);
  if (r == nullptr) return "nothing";
  const std::string verdict(name_of(r->verdict.outcome));
  return r->digest.empty() ? verdict : fmt::format("{} with bits {}", verdict, r->digest);
}

Record nondeterministic(Record record, const std::set<std::string>& words) {
  record.verdict = {Outcome::nondeterministic,
                    fmt::format("runs of it differ: {}", fmt::join(words, "; "))};
  return record;
}

}  // namespace

void JudgedCases::add(CaseRecords answer) {
  std::vector<CaseRecords>& all = of_[answer.text];
  const bool broken = is_broken(answer);
  if (!all.empty() && broken != is_broken(all.front())) {
    if (broken) return;
    all.clear();
  }
  const auto same = std::find_if(
      all.begin(), all.end(), [&](const CaseRecords& other) { return same_answer(answer, other); });
  if (same == all.end())
    all.push_back(std::move(answer));
  else if (answer.lines < same->lines)
    *same = std::move(answer);
  std::sort(all.begin(), all.end(),
            [](const CaseRecords& a, const CaseRecords& b) { return a.lines < b.lines; });
}

std::vector<Record> JudgedCases::records(const std::string& case_text) const {
  const auto found = of_.find(case_text);
  if (found == of_.end()) return {};
  const std::vector<CaseRecords>& all = found->second;
  std::vector<Record> records = all.front().records;
  for (std::size_t i = 1; i < all.size(); ++i)
    for (const Record& r : all[i].records)
      if (find_tensor(all.front(), r.tensor) == nullptr &&
          std::none_of(records.begin(), records.end(),
                       [&](const Record& other) { return other.tensor == r.tensor; }))
        records.push_back(r);
  for (Record& r : records) {
    std::set<std::string> words;
    for (const CaseRecords& answer : all) words.insert(word_on(answer, r.tensor));
    if (words.size() > 1) r = nondeterministic(std::move(r), words);
  }
  return records;
}

std::vector<Record> JudgedCases::take(const std::string& case_text) {
  const auto found = of_.find(case_text);
  if (found == of_.end()) return {};
  std::vector<Record> taken =
      found->second.size() == 1 ? std::move(found->second.front().records) : records(case_text);
  of_.erase(found);
  return taken;
}

}  // namespace gradproof
