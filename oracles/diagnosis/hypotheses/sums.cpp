// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/tensor/dtype.h"
#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/messages.h"

namespace gradproof::diagnosis {
namespace {

/// Rows, of which every lane or chunk has its share.
constexpr std::int64_t kLongestPeriod = 256;

/// What a gradient is summed from, the other axis summed already: `extent` numbers for each of the
/// entries.
struct Ledger {
  std::int64_t extent = 0;
  std::vector<std::vector<Wide>> prefix;  ///< by entry: sums of the first 0, 1, ... extent numbers
};

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

Ledger ledger_of(const Observation& e, bool over_columns) {
  Ledger ledger;
  ledger.extent = over_columns ? e.replayed.cols() : e.replayed.rows();
  ledger.prefix.assign(e.got.size(), std::vector<Wide>(at(ledger.extent + 1)));
  const auto add = [&](const ReplayedPipeline& tile) {
    const Terms terms = terms_of_parameter(tile, {}, e.target, tile.made->cotangents);
    for_each_element(tile, [&](std::size_t i, std::int64_t row, std::int64_t col) {
      std::vector<Wide>& sums = ledger.prefix[e.target.shared ? 0 : at(col)];
      const std::int64_t number =
          over_columns ? tile.part.columns[at(col)] : tile.part.rows[at(row)];
      sums[at(1 + number)] += terms(i).value;
    });
  };
  if (e.tiles.empty()) add(e.replayed);
  for (const ReplayedPipeline& tile : e.tiles) add(tile);
  for (auto& sums : ledger.prefix)
    for (std::size_t k = 1; k < sums.size(); ++k) sums[k] += sums[k - 1];
  return ledger;
}

/// Looks through ranges; those that explain the wrong entries of the evidence are kept.
class Search {
 public:
  Search(const Observation& e, const Ledger& ledger, bool over_columns)
      : e_(e), ledger_(ledger), over_columns_(over_columns) {}

  std::int64_t extent() const { return ledger_.extent; }

  void look(const Range& range) {
    ++looked_;
    if (found_.size() >= kKept) return;
    for (std::size_t i = 0; i < e_.got.size(); ++i)
      if (e_.wrong[i] != 0 && !near(i, sum_of(i, range))) return;
    for (const Range& other : ranges_)
      if (same(other, range)) return;
    ranges_.push_back(range);
    Rules rules;
    (over_columns_ ? rules.cols : rules.rows) = range;
    const std::string what = range_words(range, ledger_.extent, over_columns_ ? "column" : "row");
    found_.push_back(
        {explained_by(fmt::format("summed over {}{}", what, range.without ? "" : " alone"), rules),
         looked_, round_});
  }

  /// What is looked at from now on is not round.
  void leave_round() { round_ = false; }

  std::vector<PartialSum> take() { return std::move(found_); }

 private:
  /// The same numbers in other words.
  bool same(const Range& a, const Range& b) const {
    for (std::int64_t k = 0; k < ledger_.extent; ++k)
      if (a.has(k) != b.has(k)) return false;
    return true;
  }

  Wide sum_of(std::size_t entry, const Range& range) const {
    const std::vector<Wide>& prefix = ledger_.prefix[entry];
    Wide sum = 0;
    const std::int64_t last = std::min(range.last, ledger_.extent);
    if (range.step == 1)
      sum = prefix[at(last)] - prefix[at(std::min(range.first, last))];
    else
      for (std::int64_t k = range.first; k < last; k += range.step)
        sum += prefix[at(std::min(k + range.kept, last))] - prefix[at(k)];
    return range.without ? prefix.back() - sum : sum;
  }

  bool near(std::size_t i, Wide sum) const {
    const double u = unit_roundoff(e_.replayed.question->got.dtype());
    return std::fabs(sum - e_.got[i]) <= Wide(e_.bound[i]) + u * std::fabs(sum);
  }

  static constexpr std::size_t kKept = 8;
  const Observation& e_;
  const Ledger& ledger_;
  bool over_columns_;
  bool round_ = true;
  std::int64_t looked_ = 0;
  std::vector<Range> ranges_;
  std::vector<PartialSum> found_;
};

/// Both sides of a cut at a power of two, or at the last multiple of one: a chunk that was lost.
void look_at_round_cuts(Search& search) {
  const std::int64_t extent = search.extent();
  for (std::int64_t size = 1; size < extent; size *= 2) {
    search.look({0, size});
    search.look({size, extent});
    search.look({0, (extent - 1) / size * size});
    search.look({(extent - 1) / size * size, extent});
  }
}

/// Both halves of each cut, each block of a power of two, every k-th, one alone, and all but these.
void look_everywhere(Search& search) {
  const std::int64_t extent = search.extent();
  look_at_round_cuts(search);
  search.leave_round();
  for (std::int64_t step = 2; step <= 64 && step < extent; ++step)
    for (std::int64_t first = 0; first < step && first + step < extent; ++first) {
      search.look({first, extent, step});
      if (step > 2) search.look({first, extent, step, true});
    }
  for (std::int64_t size = 2; size < extent; size *= 2)
    for (std::int64_t first = size; first + size < extent; first += size) {
      search.look({first, first + size});
      search.look({first, first + size, 1, true});
    }
  for (std::int64_t cut = 1; cut < extent; ++cut) search.look({0, cut});
  for (std::int64_t cut = 1; cut < extent; ++cut) search.look({cut, extent});
  for (std::int64_t one = 1; one + 1 < extent; ++one) search.look({one, one + 1, 1, true});
}

/// Some lanes of a tree, or chunks of every few: eighths of a period.
void look_at_windows(Search& search) {
  const std::int64_t extent = search.extent();
  for (std::int64_t period = 4; period <= kLongestPeriod && period < extent; ++period)
    for (std::int64_t part = 1; part < 8; ++part)
      if (const std::int64_t kept = period * part / 8; kept > 1 && period * part % 8 == 0) {
        search.look({0, extent, period, false, kept});
        search.look({period - kept, extent, period, false, kept});
      }
}

}  // namespace

std::vector<PartialSum> partial_sums(const Observation& evidence) {
  if (evidence.target.matrix || !evidence.sound) return {};
  std::vector<PartialSum> all;
  for (const bool over_columns : {false, true}) {
    if (over_columns && !evidence.target.shared) continue;
    const Ledger ledger = ledger_of(evidence, over_columns);
    Search search(evidence, ledger, over_columns);
    look_everywhere(search);
    look_at_windows(search);
    for (PartialSum& one : search.take()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace gradproof::diagnosis
