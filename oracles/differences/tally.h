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

/// What is kept of the entries of a tensor: not the entries. Tallies of parts are merged in an
/// order of their own, and then do not depend on threads.
class EntryTally {
 public:
  void count(const Entry& entry, const EntryJudgement& judgement);
  void count(std::int64_t index, double fine, double claimed, const EntryJudgement& judgement);
  void count_inconclusive(std::int64_t index, const std::string& reason);
  void count_escalated(std::int64_t entries) { escalated_ += entries; }
  void remark_method(std::string remark) { method_ = std::move(remark); }
  void merge(const EntryTally& other);

  /// Fills in what has been counted.
  void fill_in(AuditRow& row) const;

  std::int64_t entries() const { return certified_ + zeros_ + wrong_ + inconclusive(); }
  std::int64_t inconclusive() const;
  std::int64_t zeros() const { return zeros_; }
  std::int64_t certified() const { return certified_; }

 private:
  static constexpr std::size_t kBins = 1201;  ///< of digits, in twentieths, from -10 to 50
  static constexpr std::size_t kKept = 64;    ///< wrong entries by index

  void keep_wrong(std::int64_t index);

  std::string method_;  ///< empty: as the row says already
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
