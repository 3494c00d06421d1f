// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <limits>
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
  void count(std::int64_t index, double fine, double claimed, const EntryJudgement& judgement);
  void count_inconclusive(std::int64_t index, const std::string& reason);
  void count_escalated(std::int64_t entries) { escalated_ += entries; }
  void remark_method(std::string remark) { method_ = std::move(remark); }
  void merge(const EntryTally& other);

  /// Writes counts, digits and the worst entry into the row.
  void fill_in(AuditRow& row) const;

  std::int64_t entries() const { return certified_ + zeros_ + wrong_ + inconclusive(); }
  std::int64_t inconclusive() const;
  std::int64_t zeros() const { return zeros_; }
  std::int64_t certified() const { return certified_; }

 private:
  static constexpr std::size_t kBins = 1201;  ///< bins of 1/20 digit, from -10 to 50 digits
  static constexpr std::size_t kKept = 64;    ///< wrong entries that are named, by index

  void keep_wrong(std::int64_t index);

  std::string method_;  ///< replaces AuditRow::method; empty: the row keeps its method
  std::int64_t certified_ = 0;
  std::int64_t zeros_ = 0;
  std::int64_t wrong_ = 0;
  std::int64_t escalated_ = 0;
  double worst_error_ = -1;
  std::int64_t worst_index_ = std::numeric_limits<std::int64_t>::max();
  double worst_difference_ = 0;
  double worst_claimed_ = 0;
  double worst_estimate_ = 0;
  std::vector<std::int64_t> wrong_entries_;
  std::map<std::string, Inconclusive> inconclusive_;
  std::array<std::int64_t, kBins> digits_{};
};

}  // namespace gradproof
