// SPDX-License-Identifier: Apache-2.0
// These hypotheses change the range of numbers that a gradient sums over, or round its partial
// sums.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/lines.h"
#include "oracles/diagnosis/summed_product.h"

namespace gradproof::diagnosis {
namespace {

/// The longest period of the pattern in which lanes or chunks take numbers.
constexpr std::int64_t kLongestPeriod = 256;
constexpr std::int64_t kLongestStep = 64;
/// The most ranges that are kept of an axis.
constexpr std::size_t kKept = 8;

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

  LongDouble sum(const PartialSums& sums) const {
    LongDouble sum = step == 1 ? sums.between(first, last) : 0;
    for (std::int64_t k = first; step > 1 && k < last; k += step)
      sum += sums.between(k, std::min(k + kept, last));
    return without ? sums.values.back() - sum : sum;
  }
};

/// The range's text: "the first 128 of 200 rows", "rows 3, 11, ...".
std::string range_text(const Range& range, std::int64_t extent, const std::string& axis) {
  std::string some;
  if (range.step == 1 && !range.without && range.first == 0 && range.last == extent - 1)
    return fmt::format("all {} but the last", axis);
  if (range.step == 1 && !range.without && range.first == 1 && range.last == extent)
    return fmt::format("all {} but the first", axis);
  if (range.kept > 1)
    some = fmt::format("{} {} to {} of each {}", axis, range.first, range.first + range.kept - 1,
                       range.step);
  else if (range.step > 1)
    some = fmt::format("{} {}, {}, ...", axis, range.first, range.first + range.step);
  else if (range.last == range.first + 1)
    some = fmt::format("number {} of {}", range.first, axis);
  else if (range.first == 0)
    some = fmt::format("the first {} of {} {}", range.last, extent, axis);
  else if (range.last == extent)
    some = fmt::format("{} from {} on", axis, range.first);
  else
    some = fmt::format("{} {} to {}", axis, range.first, range.last - 1);
  return range.without ? fmt::format("all {} but {}", axis, some) : some + " alone";
}

bool has_same_numbers(const Range& a, const Range& b, std::int64_t extent) {
  for (std::int64_t k = 0; k < extent; ++k)
    if (a.has(k) != b.has(k)) return false;
  return true;
}

/// Adds the ranges of an axis whose sums explain all wrong entries.
class RangeSearch {
 public:
  RangeSearch(const WrongTensor& whole, const SummedProduct& product, std::string axis,
              Hypotheses& all)
      : whole_(whole),
        all_(all),
        axis_(std::move(axis)),
        extent_(whole.claim.extents.at(axis_)),
        sums_(partial_sums(product,
                           line_along(whole.claim.extents, product.cotangent->axes, axis_))) {}

  void run() {
    try_round_cuts();
    rank_ = Rank::some_sum;
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

  /// Adds the range where its sums explain all entries and no range with the same numbers was
  /// found.
  void test(const Range& range) {
    ++tested_;
    if (found_.size() >= kKept || !explains(range)) return;
    for (const Range& other : found_)
      if (has_same_numbers(other, range, extent_)) return;
    found_.push_back(range);
    Prediction p;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const LongDouble sum = range.sum(sums_[i]);
      p.push_back({sum, whole_.entries[i].bound + whole_.unit() * size_of_sum(sum)});
    }
    all_.push_back(predicted("summed over " + range_text(range, extent_, axis_), rank_,
                             [p](const WrongTensor&) { return std::optional(p); }));
    all_.back().of_whole = true;
    all_.back().tried = tested_;
  }

  static double size_of_sum(LongDouble sum) { return static_cast<double>(std::fabs(sum)); }

  bool explains(const Range& range) const {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const ComparedEntry& entry = whole_.entries[i];
      if (!entry.wrong) continue;
      const LongDouble sum = range.sum(sums_[i]);
      const LongDouble within = entry.bound + whole_.unit() * std::fabs(sum);
      if (!(std::fabs(sum - entry.got) <= within)) return false;
    }
    return true;
  }

  const WrongTensor& whole_;
  Hypotheses& all_;
  std::string axis_;
  std::int64_t extent_;
  SumsOfEntries sums_;
  Rank rank_ = Rank::round_sum;
  std::int64_t tested_ = 0;
  std::vector<Range> found_;
};

}  // namespace

void add_sums(const WrongTensor& whole, Hypotheses& all) {
  if (!whole.is_gradient()) return;
  const std::optional<SummedProduct> product = summed_product(whole);
  if (!product) return add_masked_sums(whole, all);
  for (const std::string& axis : product->axes) RangeSearch(whole, *product, axis, all).run();
}

}  // namespace gradproof::diagnosis
