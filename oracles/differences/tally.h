// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/compare/audit_row.h"
#include "oracles/differences/entry.h"

namespace gradproof {

/// Counts, a histogram of digits and the worst entry of a tensor; the entries are not kept. Tallies
/// of parts are merged in a fixed order, so that no figure depends on threads.
class EntryTally {
 public:
  void count(const Entry& entry, const EntryJudgement& judgement);
  void count_inconclusive(std::int64_t index, OpenReason reason) { add({reason, 1, index}); }
  void count_escalated(std::int64_t entries) { escalated_ += entries; }
  void merge(const EntryTally& other);

  /// Writes counts, digits, the worst entry and the verdict with its reason into the row.
  void fill_in(AuditRow& row) const;

 private:
  static constexpr std::size_t kBins = 1201;  ///< bins of 1/20 digit, from -10 to 50 digits
  static constexpr std::size_t kKept = 64;    ///< wrong entries that are named, by index

  /// `half` is half of the count of judged entries, rounded up.
  void fill_in_digits(AuditRow& row, std::int64_t half) const;
  void keep_wrong(std::int64_t index);
  void keep_worst(const Entry& entry, double error);
  void add(const Inconclusive& more);

  std::int64_t certified_ = 0;
  std::int64_t zeros_ = 0;
  std::int64_t wrong_ = 0;
  std::int64_t escalated_ = 0;
  Entry worst_;  ///< the entry with the largest error, the first of equal ones
  double worst_error_ = -1;
  double worst_estimate_ = 0;
  std::vector<std::int64_t> wrong_entries_;
  std::map<OpenReason, Inconclusive> open_;
  std::array<std::int64_t, kBins> digits_{};
};

}  // namespace gradproof
