// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// The longest period, in rows, of the pattern in which lanes or chunks take rows.
constexpr std::int64_t kLongestPeriod = 256;

/// Prefix sums of the terms of a gradient: each entry is the sum of `extent` rows (or columns), the
/// other axis being summed already.
struct PrefixSums {
  std::int64_t extent = 0;
  std::vector<std::vector<LongDouble>>
      prefix;  ///< by entry: sums of the first 0, 1, ... extent numbers
};

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

PrefixSums prefix_sums_of(const Observation& e, bool over_columns) {
  PrefixSums prefix_sums;
  prefix_sums.extent = over_columns ? e.replayed.cols() : e.replayed.rows();
  prefix_sums.prefix.assign(e.got.size(), std::vector<LongDouble>(at(prefix_sums.extent + 1)));
  const auto add = [&](const ReplayedPipeline& tile) {
    const Terms terms = terms_of_parameter(tile, {}, e.target, tile.computed->cotangents);
    for_each_element(tile, [&](std::size_t i, std::int64_t row, std::int64_t col) {
      std::vector<LongDouble>& sums = prefix_sums.prefix[e.target.shared ? 0 : at(col)];
      const std::int64_t number =
          over_columns ? tile.part.columns[at(col)] : tile.part.rows[at(row)];
      sums[at(1 + number)] += terms(i).value;
    });
  };
  if (e.tiles.empty()) add(e.replayed);
  for (const ReplayedPipeline& tile : e.tiles) add(tile);
  for (auto& sums : prefix_sums.prefix)
    for (std::size_t k = 1; k < sums.size(); ++k) sums[k] += sums[k - 1];
  return prefix_sums;
}

/// Tests ranges; keeps those whose sums explain all wrong entries of the observation.
class RangeSearch {
 public:
  RangeSearch(const Observation& e, const PrefixSums& prefix_sums, bool over_columns)
      : e_(e), prefix_sums_(prefix_sums), over_columns_(over_columns) {}

  std::int64_t extent() const { return prefix_sums_.extent; }

  void test(const Range& range) {
    ++tested_;
    if (found_.size() >= kKept) return;
    for (std::size_t i = 0; i < e_.got.size(); ++i)
      if (e_.wrong[i] != 0 && !near(i, sum_of(i, range))) return;
    for (const Range& other : ranges_)
      if (same(other, range)) return;
    ranges_.push_back(range);
    Rules rules;
    (over_columns_ ? rules.cols : rules.rows) = range;
    const std::string what =
        range_text(range, prefix_sums_.extent, over_columns_ ? "column" : "row");
    found_.push_back(
        {explained_by(fmt::format("summed over {}{}", what, range.without ? "" : " alone"), rules),
         tested_, round_});
  }

  /// The ranges that are tested from now on are not cut at round numbers.
  void end_round_cuts() { round_ = false; }

  std::vector<PartialSum> take() { return std::move(found_); }

 private:
  /// Whether two ranges have the same numbers.
  bool same(const Range& a, const Range& b) const {
    for (std::int64_t k = 0; k < prefix_sums_.extent; ++k)
      if (a.has(k) != b.has(k)) return false;
    return true;
  }

  LongDouble sum_of(std::size_t entry, const Range& range) const {
    const std::vector<LongDouble>& prefix = prefix_sums_.prefix[entry];
    LongDouble sum = 0;
    const std::int64_t last = std::min(range.last, prefix_sums_.extent);
    if (range.step == 1)
      sum = prefix[at(last)] - prefix[at(std::min(range.first, last))];
    else
      for (std::int64_t k = range.first; k < last; k += range.step)
        sum += prefix[at(std::min(k + range.kept, last))] - prefix[at(k)];
    return range.without ? prefix.back() - sum : sum;
  }

  bool near(std::size_t i, LongDouble sum) const {
    const double u = unit_roundoff(e_.replayed.question->got.dtype());
    return std::fabs(sum - e_.got[i]) <= LongDouble(e_.bound[i]) + u * std::fabs(sum);
  }

  static constexpr std::size_t kKept = 8;
  const Observation& e_;
  const PrefixSums& prefix_sums_;
  bool over_columns_;
  bool round_ = true;
  std::int64_t tested_ = 0;
  std::vector<Range> ranges_;
  std::vector<PartialSum> found_;
};

/// Both sides of a cut at a power of two, or at the last multiple of one, as when a chunk is lost.
void test_round_cuts(RangeSearch& search) {
  const std::int64_t extent = search.extent();
  for (std::int64_t size = 1; size < extent; size *= 2) {
    search.test({0, size});
    search.test({size, extent});
    search.test({0, (extent - 1) / size * size});
    search.test({(extent - 1) / size * size, extent});
  }
}

/// Both sides of each cut, blocks whose size is a power of two, every k-th number; and all numbers
/// but such a block, but every k-th one, or but a single one.
void test_all_cuts(RangeSearch& search) {
  const std::int64_t extent = search.extent();
  test_round_cuts(search);
  search.end_round_cuts();
  for (std::int64_t step = 2; step <= 64 && step < extent; ++step)
    for (std::int64_t first = 0; first < step && first + step < extent; ++first) {
      search.test({first, extent, step});
      if (step > 2) search.test({first, extent, step, true});
    }
  for (std::int64_t size = 2; size < extent; size *= 2)
    for (std::int64_t first = size; first + size < extent; first += size) {
      search.test({first, first + size});
      search.test({first, first + size, 1, true});
    }
  for (std::int64_t cut = 1; cut < extent; ++cut) search.test({0, cut});
  for (std::int64_t cut = 1; cut < extent; ++cut) search.test({cut, extent});
  for (std::int64_t one = 1; one + 1 < extent; ++one) search.test({one, one + 1, 1, true});
}

/// Some of the lanes of a tree, or of the chunks of a period: 1/8 to 7/8 of the period.
void test_windows(RangeSearch& search) {
  const std::int64_t extent = search.extent();
  for (std::int64_t period = 4; period <= kLongestPeriod && period < extent; ++period)
    for (std::int64_t part = 1; part < 8; ++part)
      if (const std::int64_t kept = period * part / 8; kept > 1 && period * part % 8 == 0) {
        search.test({0, extent, period, false, kept});
        search.test({period - kept, extent, period, false, kept});
      }
}

}  // namespace

std::vector<PartialSum> partial_sums(const Observation& observation) {
  if (observation.target.matrix || !observation.sound) return {};
  std::vector<PartialSum> all;
  for (const bool over_columns : {false, true}) {
    if (over_columns && !observation.target.shared) continue;
    const PrefixSums prefix_sums = prefix_sums_of(observation, over_columns);
    RangeSearch search(observation, prefix_sums, over_columns);
    test_all_cuts(search);
    test_windows(search);
    for (PartialSum& one : search.take()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace gradproof::diagnosis
