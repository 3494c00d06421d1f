// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/tally.h"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

constexpr double kLeastDigits = -10;
constexpr double kBinsPerDigit = 20;

}  // namespace

void EntryTally::count(const Entry& entry, const EntryJudgement& judgement) {
  count(entry.index, entry.fine.convert_to<double>(), entry.claimed.convert_to<double>(),
        judgement);
}

void EntryTally::count(std::int64_t index, double fine, double claimed,
                       const EntryJudgement& judgement) {
  if (judgement.verdict == EntryVerdict::wrong) {
    ++wrong_;
    keep_wrong(index);
  } else {
    ++(judgement.verdict == EntryVerdict::zero ? zeros_ : certified_);
  }
  const double place = (digits_of(judgement.error) - kLeastDigits) * kBinsPerDigit;
  const double last = kBins - 1;
  ++digits_[static_cast<std::size_t>(std::clamp(place, 0.0, last))];
  worst_estimate_ = std::max(worst_estimate_, judgement.estimate);
  const bool worse =
      judgement.error > worst_error_ || (judgement.error == worst_error_ && index < worst_index_);
  if (!worse) return;
  worst_error_ = judgement.error;
  worst_index_ = index;
  worst_difference_ = fine;
  worst_claimed_ = claimed;
}

void EntryTally::count_inconclusive(std::int64_t index, const std::string& reason) {
  Inconclusive& of =
      inconclusive_.try_emplace(reason, Inconclusive{reason, 0, index}).first->second;
  ++of.entries;
  of.first = std::min(of.first, index);
}

void EntryTally::keep_wrong(std::int64_t index) {
  const auto at = std::lower_bound(wrong_entries_.begin(), wrong_entries_.end(), index);
  if (wrong_entries_.size() >= kKept && at == wrong_entries_.end()) return;
  wrong_entries_.insert(at, index);
  if (wrong_entries_.size() > kKept) wrong_entries_.pop_back();
}

void EntryTally::merge(const EntryTally& other) {
  certified_ += other.certified_;
  zeros_ += other.zeros_;
  wrong_ += other.wrong_;
  escalated_ += other.escalated_;
  worst_estimate_ = std::max(worst_estimate_, other.worst_estimate_);
  for (const std::int64_t index : other.wrong_entries_) keep_wrong(index);
  for (const auto& [reason, of] : other.inconclusive_) {
    Inconclusive& mine =
        inconclusive_.try_emplace(reason, Inconclusive{reason, 0, of.first}).first->second;
    mine.entries += of.entries;
    mine.first = std::min(mine.first, of.first);
  }
  for (std::size_t k = 0; k < kBins; ++k) digits_[k] += other.digits_[k];
  const bool worse = other.worst_error_ > worst_error_ ||
                     (other.worst_error_ == worst_error_ && other.worst_index_ < worst_index_);
  if (!worse) return;
  worst_error_ = other.worst_error_;
  worst_index_ = other.worst_index_;
  worst_difference_ = other.worst_difference_;
  worst_claimed_ = other.worst_claimed_;
}

std::int64_t EntryTally::inconclusive() const {
  std::int64_t count = 0;
  for (const auto& [reason, of] : inconclusive_) count += of.entries;
  return count;
}

void EntryTally::fill_in(AuditRow& row) const {
  row.entries = entries();
  if (!method_.empty()) row.method = method_;
  row.wrong = wrong_;
  row.wrong_entries = wrong_entries_;
  row.escalated = escalated_;
  for (const auto& [reason, of] : inconclusive_) row.inconclusive.push_back(of);
  std::int64_t left = (certified_ + zeros_ + wrong_ + 1) / 2;
  if (left == 0) return;
  row.digits = digits_of(worst_error_);
  row.estimate = digits_of(worst_estimate_);
  row.worst_index = worst_index_;
  row.worst_difference = worst_difference_;
  row.worst_adjoint = worst_claimed_;
  std::size_t bin = kBins - 1;  // from the best entries down: half of them are at least so good
  while (bin > 0 && (left -= digits_[bin]) > 0) --bin;
  row.median_digits = std::max(row.digits, kLeastDigits + static_cast<double>(bin) / kBinsPerDigit);
}

}  // namespace gradproof
