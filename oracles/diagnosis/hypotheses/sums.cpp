// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// The longest period, in rows, of the pattern in which lanes or chunks take rows.
constexpr std::int64_t kLongestPeriod = 256;
constexpr std::int64_t kLongestStep = 64;
/// The most chunks of a hypothesis, and the most ranges that are kept of an axis.
constexpr std::int64_t kMostChunks = 512;
constexpr std::size_t kKept = 8;

/// The sum of the terms from first to last - 1; given are the sums of the first 0, 1, ...
TrackedReal between(const Numbers& sums, std::int64_t first, std::int64_t last) {
  return less_terms(sums[at(last)], sums[at(first)]);
}

/// The numbers from first to last - 1 of an axis, of these the first `kept` of every `step`; with
/// `without`, all numbers but these.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
  bool without = false;
  std::int64_t kept = 1;

  bool has(std::int64_t i) const {
    return (i >= first && i < last && (i - first) % step < kept) != without;
  }

  TrackedReal sum(const Numbers& sums) const {
    TrackedReal sum = step == 1 ? between(sums, first, last) : exact(0);
    for (std::int64_t k = first; step > 1 && k < last; k += step)
      sum = with_terms(sum, between(sums, k, std::min(k + kept, last)));
    return without ? less_terms(sums.back(), sum) : sum;
  }
};

/// The range's text: "the first 128 rows", "rows 3, 11, ..."; `one` is "row" or
/// "column".
std::string range_text(const Range& range, std::int64_t extent, const std::string& one) {
  std::string some;
  if (range.kept > 1)
    some = fmt::format("{}s {} to {} of each {}", one, range.first, range.first + range.kept - 1,
                       range.step);
  else if (range.step > 1)
    some = fmt::format("{}s {}, {}, ...", one, range.first, range.first + range.step);
  else if (range.last == range.first + 1)
    some = fmt::format("{} {}", one, range.first);
  else if (range.first == 0)
    some = fmt::format("the first {} {}s", range.last, one);
  else if (range.last == extent)
    some = fmt::format("{}s from {} on", one, range.first);
  else
    some = fmt::format("{}s {} to {}", one, range.first, range.last - 1);
  return range.without ? fmt::format("all {}s but {}", one, some) : some + " alone";
}

bool has_same_numbers(const Range& a, const Range& b, std::int64_t extent) {
  for (std::int64_t k = 0; k < extent; ++k)
    if (a.has(k) != b.has(k)) return false;
  return true;
}

/// Adds the ranges of an axis (0: rows, 1: columns) whose sums explain all wrong entries of the
/// sample.
class RangeSearch {
 public:
  RangeSearch(Hypotheses& all, std::size_t axis)
      : all_(all),
        axis_(axis),
        sums_(all.sample.sums[axis]),
        extent_(axis == 0 ? all.claim.rows() : all.claim.cols()),
        unit_(unit_roundoff(all.gradient.got.dtype())) {}

  void run() {
    if (sums_.empty()) return;
    all_.rank = Rank::round_sum;
    try_round_cuts();
    all_.rank = Rank::some_sum;
    try_steps();
    try_blocks();
    try_cuts();
    try_periods();
  }

 private:
  /// Tests both sides of a cut at a power of two, or at the last multiple of one, as when a chunk
  /// is lost.
  void try_round_cuts() {
    for (std::int64_t size = 1; size < extent_; size *= 2)
      for (const std::int64_t cut : {size, (extent_ - 1) / size * size}) {
        test({0, cut});
        test({cut, extent_});
      }
  }

  /// Every k-th number, and all but these.
  void try_steps() {
    for (std::int64_t step = 2; step <= kLongestStep && step < extent_; ++step)
      for (std::int64_t first = 0; first < step && first + step < extent_; ++first) {
        test({first, extent_, step});
        if (step > 2) test({first, extent_, step, true});
      }
  }

  /// Blocks whose size is a power of two, and all but such a block.
  void try_blocks() {
    for (std::int64_t size = 2; size < extent_; size *= 2)
      for (std::int64_t first = size; first + size < extent_; first += size) {
        test({first, first + size});
        test({first, first + size, 1, true});
      }
  }

  /// Tests both sides of each cut, and all numbers but one.
  void try_cuts() {
    for (std::int64_t cut = 1; cut < extent_; ++cut) test({0, cut});
    for (std::int64_t cut = 1; cut < extent_; ++cut) test({cut, extent_});
    for (std::int64_t one = 1; one + 1 < extent_; ++one) test({one, one + 1, 1, true});
  }

  /// Some of the lanes of a tree, or of the chunks of a period: 1/8 to 7/8 of the period.
  void try_periods() {
    for (std::int64_t period = 4; period <= kLongestPeriod && period < extent_; ++period)
      for (std::int64_t part = 1; part < 8; ++part)
        if (const std::int64_t kept = period * part / 8; kept > 1 && period * part % 8 == 0) {
          test({0, extent_, period, false, kept});
          test({period - kept, extent_, period, false, kept});
        }
  }

  /// Adds the range where its sums explain the sample and no range with the same numbers was found.
  void test(const Range& range) {
    ++tested_;
    if (found_.size() >= kKept || !explains_sample(range)) return;
    for (const Range& other : found_)
      if (has_same_numbers(other, range, extent_)) return;
    found_.push_back(range);
    const auto predict = [range, axis = axis_](const Replay& replay) {
      Numbers changed;
      for (const Numbers& of_entry : replay.sums[axis]) changed.push_back(range.sum(of_entry));
      return changed_entries(replay, changed);
    };
    all_.add("summed over " + range_text(range, extent_, axis_ == 0 ? "row" : "column"), predict,
             tested_);
  }

  bool explains_sample(const Range& range) const {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const ComparedEntry& entry = all_.sample.entries[i];
      const LongDouble sum = entry.wrong ? range.sum(sums_[i]).value : 0;
      const LongDouble within = entry.bound + unit_ * std::fabs(sum);
      if (entry.wrong && !(std::fabs(sum - entry.got) <= within)) return false;
    }
    return true;
  }

  Hypotheses& all_;
  std::size_t axis_;
  const std::vector<Numbers>& sums_;
  std::int64_t extent_;
  double unit_;
  std::int64_t tested_ = 0;
  std::vector<Range> found_;
};

/// Predicts the sum of the rounded sums of `count` chunks of rows, as even as they go: the first
/// rows % count chunks have one row more. The kernel's sum of a chunk may lie on the other side of
/// a rounding boundary: then it is rounded to the neighbour.
PredictedEntry rounded_sum(const Numbers& sums, std::int64_t count,
                           const JudgedGradient& gradient) {
  const Contract& contract = gradient.claim.contract;
  const DType narrow = contract.storage;
  const std::int64_t rows = gradient.claim.rows();
  const auto first = [&](std::int64_t k) { return k * (rows / count) + std::min(k, rows % count); };
  PredictedEntry sum;
  for (std::int64_t k = 0; k < count; ++k) {
    const TrackedReal chunk = between(sums, first(k), first(k + 1));
    const double middle = static_cast<double>(chunk.value);
    const double off = 2 * unit_roundoff(contract.accumulation) * chunk.error;
    sum.value += round_to(narrow, middle);
    sum.tolerance += off + (round_to(narrow, middle + off) - round_to(narrow, middle - off));
  }
  sum.tolerance += unit_roundoff(gradient.got.dtype()) * static_cast<double>(std::fabs(sum.value));
  return sum;
}

/// Adds the sums of chunks of rows of which each is rounded to the storage type.
void add_rounded_sums(Hypotheses& all) {
  const Contract& contract = all.claim.contract;
  if (precision_of(contract.storage) >= precision_of(contract.accumulation)) return;
  all.rank = Rank::rounded_sum;
  const std::int64_t rows = all.claim.rows();
  for (std::int64_t count = 2; count <= std::min(rows, kMostChunks); ++count) {
    const std::string each = rows % count == 0
                                 ? fmt::format("{}", rows / count)
                                 : fmt::format("{} or {}", rows / count, rows / count + 1);
    all.add(fmt::format("the sums of {} chunks of {} rows are rounded to {}", count, each,
                        name_of(contract.storage)),
            [count](const Replay& replay) {
              Prediction p;
              for (const Numbers& sums : replay.sums[0])
                p.push_back(rounded_sum(sums, count, replay.gradient));
              return p;
            });
  }
}

}  // namespace

void add_changed_sums(Hypotheses& all) {
  for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) RangeSearch(all, axis).run();
  if (!all.gradient.matrix && !all.gradient.shared) add_rounded_sums(all);
}

}  // namespace gradproof::diagnosis
