// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"

namespace gradproof::diagnosis {
namespace {

/// The longest period, in rows, of the pattern in which lanes or chunks take rows.
constexpr std::int64_t kLongestPeriod = 256;
/// The most chunks of a hypothesis, and the most ranges that are kept of an axis.
constexpr std::int64_t kMostChunks = 512;
constexpr std::size_t kKept = 8;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// "the first 128 rows", "rows 3, 11, ...", "all rows but rows 32 to 63"; `one` is "row" or
/// "column".
std::string range_text(const Range& range, std::int64_t extent, const std::string& one) {
  const std::int64_t last = std::min(range.last, extent);
  std::string some;
  if (range.kept > 1)
    some = fmt::format("{}s {} to {} of each {}", one, range.first, range.first + range.kept - 1,
                       range.step);
  else if (range.step > 1)
    some = fmt::format("{}s {}, {}, ...", one, range.first, range.first + range.step);
  else if (last == range.first + 1)
    some = fmt::format("{} {}", one, range.first);
  else if (range.first == 0)
    some = fmt::format("the first {} {}s", last, one);
  else if (last == extent)
    some = fmt::format("{}s from {} on", one, range.first);
  else
    some = fmt::format("{}s {} to {}", one, range.first, last - 1);
  return range.without ? fmt::format("all {}s but {}", one, some) : some;
}

/// Tests ranges of an axis; adds those whose sums explain all wrong entries of the sample.
class RangeSearch {
 public:
  RangeSearch(Hypotheses& all, bool over_columns)
      : all_(all),
        over_columns_(over_columns),
        extent_(over_columns ? all.claim.cols : all.claim.rows),
        sums_(over_columns ? prefix_sums_of(all.replay, all.sample.target, true)
                           : all.sample.row_sums) {}

  /// Both sides of a cut at a power of two, or at the last multiple of one, as when a chunk is
  /// lost.
  void test_round_cuts() {
    for (std::int64_t size = 1; size < extent_; size *= 2) {
      test({0, size});
      test({size, extent_});
      test({0, (extent_ - 1) / size * size});
      test({(extent_ - 1) / size * size, extent_});
    }
  }

  /// Both sides of each cut, blocks whose size is a power of two, every k-th number; and all
  /// numbers but such a block, but every k-th one, or but a single one.
  void test_other_cuts() {
    for (std::int64_t step = 2; step <= 64 && step < extent_; ++step)
      for (std::int64_t first = 0; first < step && first + step < extent_; ++first) {
        test({first, extent_, step});
        if (step > 2) test({first, extent_, step, true});
      }
    for (std::int64_t size = 2; size < extent_; size *= 2)
      for (std::int64_t first = size; first + size < extent_; first += size) {
        test({first, first + size});
        test({first, first + size, 1, true});
      }
    for (std::int64_t cut = 1; cut < extent_; ++cut) test({0, cut});
    for (std::int64_t cut = 1; cut < extent_; ++cut) test({cut, extent_});
    for (std::int64_t one = 1; one + 1 < extent_; ++one) test({one, one + 1, 1, true});
  }

  /// Some of the lanes of a tree, or of the chunks of a period: 1/8 to 7/8 of the period.
  void test_windows() {
    for (std::int64_t period = 4; period <= kLongestPeriod && period < extent_; ++period)
      for (std::int64_t part = 1; part < 8; ++part)
        if (const std::int64_t kept = period * part / 8; kept > 1 && period * part % 8 == 0) {
          test({0, extent_, period, false, kept});
          test({period - kept, extent_, period, false, kept});
        }
  }

 private:
  void test(const Range& range) {
    ++tested_;
    if (found_.size() >= kKept) return;
    for (std::size_t i = 0; i < sums_.size(); ++i)
      if (all_.sample.entries[i].wrong && !is_near(i, sum_of(i, range))) return;
    for (const Range& other : found_)
      if (has_same_numbers(other, range)) return;
    found_.push_back(range);
    Edit edit;
    (over_columns_ ? edit.cols : edit.rows) = range;
    const std::string some = range_text(range, extent_, over_columns_ ? "column" : "row");
    all_.add_found(fmt::format("summed over {}{}", some, range.without ? "" : " alone"), edit,
                   tested_);
  }

  bool has_same_numbers(const Range& a, const Range& b) const {
    for (std::int64_t k = 0; k < extent_; ++k)
      if (a.has(k) != b.has(k)) return false;
    return true;
  }

  LongDouble sum_of(std::size_t entry, const Range& range) const {
    const Numbers& prefix = sums_[entry];
    const auto between = [&](std::int64_t first, std::int64_t last) {
      return prefix[at(last)].value - prefix[at(std::min(first, last))].value;
    };
    LongDouble sum = 0;
    const std::int64_t last = std::min(range.last, extent_);
    if (range.step == 1) sum = between(range.first, last);
    for (std::int64_t k = range.first; range.step > 1 && k < last; k += range.step)
      sum += between(k, std::min(k + range.kept, last));
    return range.without ? prefix.back().value - sum : sum;
  }

  bool is_near(std::size_t i, LongDouble sum) const {
    const double u = unit_roundoff(all_.replay.question->got.dtype());
    const ComparedEntry& entry = all_.sample.entries[i];
    return std::fabs(sum - entry.got) <= LongDouble(entry.bound) + u * std::fabs(sum);
  }

  Hypotheses& all_;
  bool over_columns_;
  std::int64_t extent_;
  PrefixSums sums_;
  std::int64_t tested_ = 0;
  std::vector<Range> found_;
};

/// `count` chunks of `rows` rows each; the first `longer` chunks have one row more.
struct Chunks {
  std::int64_t count = 1;
  std::int64_t rows = 1;
  std::int64_t longer = 0;

  std::size_t first(std::int64_t chunk) const { return at(chunk * rows + std::min(chunk, longer)); }
};

/// The sum of the rounded sums of chunks. The kernel's sum of a chunk may lie on the other side of
/// a rounding boundary: then it is rounded to the neighbour.
PredictedEntry rounded_sum(const Numbers& prefix, const Chunks& chunks, const Question& question) {
  const Contract& contract = question.claim.contract;
  const DType narrow = contract.storage;
  PredictedEntry sum;
  for (std::int64_t k = 0; k < chunks.count; ++k) {
    const TrackedReal& from = prefix[chunks.first(k)];
    const TrackedReal& to = prefix[chunks.first(k + 1)];
    const double middle = static_cast<double>(to.value - from.value);
    const double off = 2 * unit_roundoff(contract.accumulation) * (to.error - from.error);
    sum.value += round_to(narrow, middle);
    sum.tolerance += off + (round_to(narrow, middle + off) - round_to(narrow, middle - off));
  }
  sum.tolerance += unit_roundoff(question.got.dtype()) * static_cast<double>(std::fabs(sum.value));
  return sum;
}

}  // namespace

void add_partial_sums(Hypotheses& all) {
  if (all.sample.target.matrix) return;
  for (const bool over_columns : {false, true}) {
    if (over_columns && !all.sample.target.shared) continue;
    RangeSearch search(all, over_columns);
    all.rank = Rank::round_sum;
    search.test_round_cuts();
    all.rank = Rank::partial_sum;
    search.test_other_cuts();
    search.test_windows();
  }
}

void add_rounded_sums(Hypotheses& all) {
  const Contract& contract = all.claim.contract;
  if (all.sample.target.matrix || all.sample.target.shared || !all.sample.sound) return;
  if (precision_of(contract.storage) >= precision_of(contract.accumulation)) return;
  const std::int64_t rows = all.claim.rows;
  for (std::int64_t count = 2; count <= std::min(rows, kMostChunks); ++count) {
    const Chunks chunks{count, rows / count, rows % count};
    const std::string each = chunks.longer == 0
                                 ? fmt::format("{}", chunks.rows)
                                 : fmt::format("{} or {}", chunks.rows, chunks.rows + 1);
    all.add(fmt::format("the sums of {} chunks of {} rows are rounded to {}", count, each,
                        name_of(contract.storage)),
            [chunks](const Observation& e) {
              Prediction p;
              for (const Numbers& prefix : e.row_sums)
                p.push_back(rounded_sum(prefix, chunks, *e.replay.question));
              return p;
            });
  }
}

}  // namespace gradproof::diagnosis
