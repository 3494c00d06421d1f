// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/graph/contract/error_bound_name.h"
#include "reports/baseline/alike_cases.h"
#include "reports/baseline/ceilings.h"
#include "reports/baseline/dead_band.h"

namespace gradproof {
namespace {

/// (case, tensor)
using Cell = std::pair<std::string, std::string>;

/// The shortest consistent chain is found to an eighth, and moves with the draw of the roundings.
constexpr double kChainBand = 2;

/// The figure in which `to` left the dead band of `from` upwards, if any; max is looked at first.
FigureChange grown(const BaselineEntry& from, const BaselineEntry& to, const DeadBand& band) {
  if (to.max_ratio > from.max_ratio * band.max)
    return {"max", from.max_ratio, to.max_ratio, band.max};
  if (to.rms_ratio > from.rms_ratio * band.rms)
    return {"rms", from.rms_ratio, to.rms_ratio, band.rms};
  if (from.chain && to.chain) {
    const auto before = static_cast<double>(*from.chain), now = static_cast<double>(*to.chain);
    if (now > before * kChainBand) return {"chain", before, now, kChainBand, false};
  }
  return {};
}

/// The entries that the run has not met yet, and what it made of those that it met.
class Matching {
 public:
  explicit Matching(const Baseline& baseline) {
    for (const BaselineEntry& e : baseline.entries) unseen_[{e.case_text, e.tensor}] = e;
  }

  void add(const Record& r) {
    if (r.tensor == kExecution) return add_execution(r);
    if (!has_figures(r)) {
      if (is_wrong(r.verdict.outcome)) {
        unseen_.erase({r.case_text, r.tensor});
        return failed_without_figures(r);
      }
      notes_[{r.case_text, r.tensor}] = r.verdict.reason;
      return;
    }
    const auto before = unseen_.find({r.case_text, r.tensor});
    if (before == unseen_.end()) return added_.push_back(&r);
    tensors_.push_back(compare_entry(before->second, r));
    unseen_.erase(before);
  }

  void finish(BaselineComparison& result) {
    result.tensors = std::move(tensors_);
    std::vector<BaselineEntry> missing;
    for (const auto& [cell, entry] : unseen_)
      if (!crashed_.contains(cell.first)) missing.push_back(entry);
    AlikeMatch match = match_alike(added_, missing);
    result.alike = match.alike;
    for (const auto& [before, now] : match.compared)
      result.tensors.push_back(compare_entry(before, *now));
    for (const Record* r : match.left_out)
      if (is_wrong(r->verdict.outcome)) result.tensors.push_back(compare_entry({}, *r));
    for (const Record* r : match.added)
      result.tensors.push_back(is_wrong(r->verdict.outcome) ? compare_entry({}, *r) : added(*r));
    for (const BaselineEntry& entry : match.missing)
      result.tensors.push_back(
          {Change::missing, kernel_of(entry.case_text), entry, {}, false, {}, note_on(entry)});
    std::stable_sort(result.tensors.begin(), result.tensors.end(), is_more_severe);
  }

 private:
  /// Adds the Record of a whole Case, whose tensors are not measured, and not missing either.
  void add_execution(const Record& r) {
    if (!is_wrong(r.verdict.outcome)) {
      skipped_[r.case_text] = r.verdict.reason;
      return;
    }
    crashed_[r.case_text] = r.verdict.reason;
    failed_without_figures(r);
  }

  void failed_without_figures(const Record& r) {
    BaselineEntry now = entry_of(r);
    tensors_.push_back({Change::failed,
                        r.kernel,
                        {},
                        std::move(now),
                        false,
                        {},
                        fmt::format("{}: {}", name_of(r.verdict.outcome), r.verdict.reason)});
  }

  static ChangedTensor added(const Record& r) {
    return {Change::added, r.kernel, {}, entry_of(r), false, {}, ""};
  }

  std::string note_on(const BaselineEntry& entry) const {
    if (const auto found = notes_.find({entry.case_text, entry.tensor}); found != notes_.end())
      return found->second;
    const auto found = skipped_.find(entry.case_text);
    return found == skipped_.end() ? "" : found->second;
  }

  std::map<Cell, BaselineEntry> unseen_;
  std::map<Cell, std::string> notes_;
  std::map<std::string, std::string> crashed_, skipped_;  ///< by Case: the reason
  std::vector<const Record*> added_;
  std::vector<ChangedTensor> tensors_;
};

/// The distance that error/bound moved, in units of the bound.
double step_of(const ChangedTensor& t) {
  if (t.change == Change::failed) return t.now.max_ratio;
  return t.moved.figure.empty() || !t.moved.is_ratio ? 0 : std::abs(t.moved.to - t.moved.from);
}

double certainty_of(const ChangedTensor& t) {
  const auto [low, high] = std::minmax(t.moved.from, t.moved.to);
  return low > 0 ? high / low / t.moved.band : high;
}

}  // namespace

std::optional<BoundChange> ChangedTensor::bound_change() const {
  const auto name = [](auto value) { return std::string(name_of(value)); };
  if (before.bound && now.bound && before.bound != now.bound)
    return BoundChange{"bound", name(*before.bound), name(*now.bound),
                       now.bound == ErrorBound::certain};
  if (before.rung && now.rung && before.rung != now.rung)
    return BoundChange{"rung", name(*before.rung), name(*now.rung), now.rung > before.rung};
  return std::nullopt;
}

std::int64_t BaselineComparison::count(Change change) const {
  return std::count_if(tensors.begin(), tensors.end(),
                       [&](const ChangedTensor& t) { return t.change == change; });
}

bool BaselineComparison::is_incomplete() const {
  return !not_comparable.empty() || count(Change::missing) > 0 ||
         (alike.tensors > 0 && !alike.compared);
}

ChangedTensor compare_entry(const BaselineEntry& before, const Record& record) {
  ChangedTensor t{Change::unchanged, record.kernel, before, entry_of(record), false, {}, ""};
  t.other_bits = t.had() && before.digest != record.digest;
  const DeadBand band = widened(dead_band(record.shape), before.noise);
  if (is_wrong(record.verdict.outcome)) {
    t.change = Change::failed;
    t.note = fmt::format("{}: {}", name_of(record.verdict.outcome), record.verdict.reason);
    if (t.had()) t.moved = grown(t.before, t.now, band);
    return t;
  }
  if (!t.other_bits) return t;
  if (const auto other = t.bound_change()) {
    t.change = other->permits_more ? Change::regressed : Change::improved;
    return t;
  }
  const bool correctly_rounded = record.discrepancy().worst.ulp <= 0.5;
  if (const FigureChange worse = grown(t.before, t.now, band);
      !worse.figure.empty() && !correctly_rounded) {
    t.change = Change::regressed;
    t.moved = worse;
  } else if (const FigureChange better = grown(t.now, t.before, band); !better.figure.empty()) {
    t.change = Change::improved;
    t.moved = {better.figure, better.to, better.from, better.band, better.is_ratio};
  }
  return t;
}

bool is_more_severe(const ChangedTensor& a, const ChangedTensor& b) {
  if (a.change != b.change) return a.change < b.change;
  const Margin margin_a = margin_of(a.named().max_ratio);
  const Margin margin_b = margin_of(b.named().max_ratio);
  // An improvement that is near the bound is no worse than one far below: its step counts alone.
  if (a.change != Change::improved && margin_a != margin_b) return margin_a < margin_b;
  if (step_of(a) != step_of(b)) return step_of(a) > step_of(b);
  return certainty_of(a) > certainty_of(b);
}

BaselineComparison compare(const std::vector<Record>& records, const Baseline& baseline,
                           const std::string& file) {
  BaselineComparison result;
  result.file = file;
  Matching matching(baseline);
  std::string other;
  std::int64_t compared = 0;
  for (const Record& r : records) {
    const bool here = are_comparable(r.context, baseline.context);
    if (!here && has_figures(r)) {
      other = context_text(r.context);
      ++result.elsewhere;
    }
    if (!here) continue;
    compared += has_figures(r) || is_wrong(r.verdict.outcome);
    matching.add(r);
  }
  if (compared == 0) {
    result.not_comparable = other.empty() ? "the run measured nothing"
                                          : fmt::format("the run is of ({}), the baseline of ({})",
                                                        other, context_text(baseline.context));
    return result;
  }
  matching.finish(result);
  result.above = above_ceilings(baseline.ceilings, records);
  return result;
}

BaselineEntry entry_of(const Record& r) {
  const Discrepancy& d = r.discrepancy();
  const bool any = d.elements > 0;
  return {r.case_text,
          r.dtype,
          r.tensor,
          d.max_ratio,
          d.p99_ratio,
          d.rms_ratio,
          any ? index_text(r.shape, d.worst.index) : "",
          r.digest,
          {},
          r.bound,
          r.rung,
          r.chain ? std::optional(r.chain->additions) : std::nullopt};
}

bool has_figures(const Record& r) {
  const Outcome o = r.verdict.outcome;
  return r.tensor != kExecution && r.discrepancy().elements > 0 && o != Outcome::skipped &&
         o != Outcome::instrument_broken;
}

bool are_comparable(const Context& a, const Context& b) {
  return a.backend == b.backend && a.device == b.device && a.toolkit == b.toolkit;
}

std::string context_text(const Context& c) {
  return fmt::format("{}, {}, {}", c.backend, c.device, c.toolkit);
}

}  // namespace gradproof
