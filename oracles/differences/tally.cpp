// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/tally.h"

#include <algorithm>
#include <cmath>

namespace gradproof {
namespace {

constexpr double kLeastDigits = -10;
constexpr double kBinsPerDigit = 20;

}  // namespace

std::string name_of(OpenReason reason) {
  switch (reason) {
    case OpenReason::domain:
      return "domain";
    case OpenReason::kink:
      return "kink";
    case OpenReason::not_finite:
      return "not finite: the value at rest is NaN or Inf (an input is, or it overflows)";
    case OpenReason::saturation:
      return "saturation";
    case OpenReason::too_fine:
      return "too fine: differences still grow at the finest step, the value changes over less";
    case OpenReason::cancellation:
      break;
  }
  return "cancellation";
}

void EntryTally::count(const Entry& entry, const EntryJudgement& judgement) {
  EntryOf<double> rounded;
  rounded.index = entry.index;
  rounded.claimed = entry.claimed.convert_to<double>();
  rounded.fine = entry.fine.convert_to<double>();
  count(rounded, judgement);
}

void EntryTally::count(const EntryOf<double>& entry, const EntryJudgement& judgement) {
  if (judgement.verdict == EntryVerdict::wrong) {
    ++wrong_;
    keep_wrong(entry.index);
  } else {
    ++(judgement.verdict == EntryVerdict::zero ? zeros_ : certified_);
  }
  const double place = (digits_of(judgement.error) - kLeastDigits) * kBinsPerDigit;
  const double last = kBins - 1;
  ++digits_[static_cast<std::size_t>(std::clamp(place, 0.0, last))];
  worst_estimate_ = std::max(worst_estimate_, judgement.estimate);
  keep_worst({judgement.error, entry.index, entry.fine, entry.claimed});
}

void EntryTally::keep_worst(const Worst& other) {
  if (other.error > worst_.error || (other.error == worst_.error && other.index < worst_.index))
    worst_ = other;
}

void EntryTally::count_inconclusive(std::int64_t index, OpenReason reason) {
  Open& of = open_[reason];
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
  for (const auto& [reason, of] : other.open_) {
    Open& mine = open_[reason];
    mine.entries += of.entries;
    mine.first = std::min(mine.first, of.first);
  }
  for (std::size_t k = 0; k < kBins; ++k) digits_[k] += other.digits_[k];
  keep_worst(other.worst_);
}

std::int64_t EntryTally::inconclusive() const {
  std::int64_t count = 0;
  for (const auto& [reason, of] : open_) count += of.entries;
  return count;
}

void EntryTally::fill_in(AuditRow& row) const {
  row.entries = entries();
  row.wrong = wrong_;
  row.wrong_entries = wrong_entries_;
  row.escalated = escalated_;
  for (const auto& [reason, of] : open_)
    row.inconclusive.push_back({name_of(reason), of.entries, of.first});
  std::int64_t left = (certified_ + zeros_ + wrong_ + 1) / 2;
  if (left == 0) return;
  row.digits = digits_of(worst_.error);
  row.estimate = digits_of(worst_estimate_);
  row.worst_index = worst_.index;
  row.worst_difference = worst_.difference;
  row.worst_adjoint = worst_.claimed;
  std::size_t bin = kBins - 1;  // from the best entries down: half of them are at least so good
  while (bin > 0 && (left -= digits_[bin]) > 0) --bin;
  row.median_digits = std::max(row.digits, kLeastDigits + static_cast<double>(bin) / kBinsPerDigit);
}

}  // namespace gradproof
