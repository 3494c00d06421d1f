// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences/tally.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace gradproof {
namespace {

constexpr double kLeastDigits = -10;
constexpr double kBinsPerDigit = 20;

std::string open_reason(const AuditRow& row) {
  std::string text;
  for (const Inconclusive& of : row.inconclusive)
    text +=
        fmt::format("{}{}: {} of {} entries, the first {}", text.empty() ? "" : "; ",
                    name_of(of.reason), of.entries, row.entries, index_text(row.shape, of.first));
  return text;
}

}  // namespace

void EntryTally::count(const Entry& entry, const EntryJudgement& judgement) {
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
  keep_worst(entry, judgement.error);
}

void EntryTally::keep_worst(const Entry& entry, double error) {
  if (!(error > worst_error_ || (error == worst_error_ && entry.index < worst_.index))) return;
  worst_ = entry;
  worst_error_ = error;
}

void EntryTally::add(const Inconclusive& more) {
  Inconclusive& of = open_.try_emplace(more.reason, more.reason, 0, more.first).first->second;
  of.entries += more.entries;
  of.first = std::min(of.first, more.first);
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
  for (const auto& [reason, of] : other.open_) add(of);
  for (std::size_t k = 0; k < kBins; ++k) digits_[k] += other.digits_[k];
  keep_worst(other.worst_, other.worst_error_);
}

void EntryTally::fill_in(AuditRow& row) const {
  row.wrong = wrong_;
  row.wrong_entries = wrong_entries_;
  row.escalated = escalated_;
  const std::int64_t judged = certified_ + zeros_ + wrong_;
  row.entries = judged;
  for (const auto& [reason, of] : open_) {
    row.inconclusive.push_back(of);
    row.entries += of.entries;
  }
  if (judged > 0) fill_in_digits(row, (judged + 1) / 2);
  row.reason.clear();
  row.verdict = wrong_ > 0       ? Outcome::wrong
                : !open_.empty() ? Outcome::inconclusive
                                 : Outcome::certified;
  if (row.verdict == Outcome::wrong)
    row.reason = fmt::format(
        "differences agree with themselves to {:.1f} digits, with the gradient to {:.1f}: "
        "the curve is flat",
        row.estimate, row.digits);
  else if (row.verdict == Outcome::inconclusive)
    row.reason = open_reason(row);
  else if (zeros_ > 0 && certified_ == 0)
    row.reason = "the gradient is 0, and differences say so too";
}

void EntryTally::fill_in_digits(AuditRow& row, std::int64_t half) const {
  row.digits = digits_of(worst_error_);
  row.estimate = digits_of(worst_estimate_);
  row.worst_index = worst_.index;
  row.worst_difference = static_cast<double>(worst_.fine);
  row.worst_adjoint = static_cast<double>(worst_.claimed);
  std::size_t bin = kBins - 1;  // from the best entries down: half of them are at least so good
  while (bin > 0 && (half -= digits_[bin]) > 0) --bin;
  row.median_digits = std::max(row.digits, kLeastDigits + static_cast<double>(bin) / kBinsPerDigit);
}

}  // namespace gradproof
