// SPDX-License-Identifier: Apache-2.0
// These hypotheses change the range of numbers that a gradient sums over, or round its partial sums.
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
/// The most chunks of a hypothesis, and the most ranges that are kept of an axis.
constexpr std::int64_t kMostChunks = 512;
constexpr std::size_t kKept = 8;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The sums of an entry's first 0, 1, ... numbers along an axis, and of their sizes.
struct PartialSums {
  Reals values;
  std::vector<double> sizes;

  LongDouble between(std::int64_t first, std::int64_t last) const {
    return values[at(last)] - values[at(first)];
  }
};
using SumsOfEntries = std::vector<PartialSums>;

SumsOfEntries partial_sums(const SummedProduct& product, const Line& line) {
  SumsOfEntries all(product.count);
  for (PartialSums& of : all) {
    of.values.resize(at(line.extent + 1));
    of.sizes.resize(at(line.extent + 1));
  }
  for (std::size_t i = 0; i < product.places.size(); ++i) {
    PartialSums& of = all[at(product.places[i])];
    const std::size_t next = at(line.along(static_cast<std::int64_t>(i)) + 1);
    const LongDouble term = product.term(i);
    of.values[next] += term;
    of.sizes[next] += static_cast<double>(std::fabs(term));
  }
  for (PartialSums& of : all)
    for (std::size_t k = 1; k < of.values.size(); ++k) {
      of.values[k] += of.values[k - 1];
      of.sizes[k] += of.sizes[k - 1];
    }
  return all;
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

  /// Adds the range where its sums explain all entries and no range with the same numbers was found.
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

/// The sum of the rounded sums of `count` chunks, as even as they go: the first extent % count
/// chunks have one number more. The code's sum of a chunk may lie on the other side of a rounding
/// boundary: then it is rounded to the neighbour.
PredictedEntry rounded_sum(const PartialSums& sums, std::int64_t count, const WrongTensor& whole) {
  const DType narrow = whole.claim.contract.storage;
  const std::int64_t extent = std::ssize(sums.values) - 1;
  const auto first = [&](std::int64_t k) {
    return k * (extent / count) + std::min(k, extent % count);
  };
  PredictedEntry sum;
  for (std::int64_t k = 0; k < count; ++k) {
    const double middle = static_cast<double>(sums.between(first(k), first(k + 1)));
    const double sizes = sums.sizes[at(first(k + 1))] - sums.sizes[at(first(k))];
    const double off = 2 * unit_roundoff(whole.claim.contract.accumulation) * sizes;
    sum.value += round_to(narrow, middle);
    sum.tolerance += off + (round_to(narrow, middle + off) - round_to(narrow, middle - off));
  }
  sum.tolerance += whole.unit() * static_cast<double>(std::fabs(sum.value));
  return sum;
}

/// Adds the sums of chunks of which each is rounded to the storage type.
void add_rounded_sums(const WrongTensor& whole, const SummedProduct& product, Hypotheses& all) {
  const GraphContract& contract = whole.claim.contract;
  if (precision_of(contract.storage) >= precision_of(contract.accumulation) ||
      product.axes.size() != 1)
    return;
  const std::string& axis = product.axes.front();
  const Line line = line_along(whole.claim.extents, product.cotangent->axes, axis);
  const auto sums = std::make_shared<const SumsOfEntries>(partial_sums(product, line));
  for (std::int64_t count = 2; count <= std::min(line.extent, kMostChunks); ++count) {
    const std::int64_t each = line.extent / count;
    const std::string size = line.extent % count == 0 ? fmt::format("{}", each)
                                                      : fmt::format("{} or {}", each, each + 1);
    all.push_back(predicted(
        fmt::format("the sums of {} chunks of {} {} are rounded to {}", count, size, axis,
                    name_of(contract.storage)),
        Rank::rounded_sum, [sums, count](const WrongTensor& asked) {
          std::optional<Prediction> p{Prediction()};
          for (const PartialSums& of : *sums) p->push_back(rounded_sum(of, count, asked));
          return p;
        }));
    all.back().of_whole = true;
  }
}

}  // namespace

void add_sums(const WrongTensor& whole, Hypotheses& all) {
  if (!whole.is_gradient()) return;
  const std::optional<SummedProduct> product = summed_product(whole);
  if (!product) return add_masked_sums(whole, all);
  for (const std::string& axis : product->axes) RangeSearch(whole, *product, axis, all).run();
  add_rounded_sums(whole, *product, all);
}

}  // namespace gradproof::diagnosis
