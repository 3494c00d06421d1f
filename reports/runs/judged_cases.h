// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "reports/runs/run_reader.h"

namespace gradproof {

/// The answers of several files about the same Cases, as a set: the order in which files come does
/// not matter, nor does a file that comes twice.
class JudgedCases {
 public:
  /// Two files that say the same of a Case (tensors, verdicts, digests) are one answer, that whose
  /// text is the smaller. An answer of a broken instrument gives way to one that judges.
  void add(CaseRecords answer);

  bool has(const std::string& case_text) const { return of_.contains(case_text); }
  std::size_t size() const { return of_.size(); }
  /// The answers that differ; of most Cases one.
  const std::vector<CaseRecords>& of(const std::string& case_text) const {
    return of_.at(case_text);
  }

  /// The Records of a Case. Where answers differ, a tensor on which they do is Nondeterministic,
  /// with what they say. Empty for a Case without an answer.
  std::vector<Record> records(const std::string& case_text) const;
  /// The Records as records() returns them; the Case has no answer afterwards.
  std::vector<Record> take(const std::string& case_text);

 private:
  std::map<std::string, std::vector<CaseRecords>> of_;  ///< in order of their text
};

}  // namespace gradproof
