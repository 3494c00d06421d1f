// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline/acceptance.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/baseline/comparison.h"
#include "reports/record/tally.h"

namespace gradproof {
namespace {

/// (case, tensor)
using Cell = std::pair<std::string, std::string>;

void refuse_wrong(const std::vector<Record>& records) {
  const Tally t = tally(records);
  if (t.failed + t.broken > 0)
    throw UsageError(fmt::format("{} tensors of the run are wrong; a baseline is made of passes",
                                 t.failed + t.broken));
}

/// The context of all Records with figures. Throws UsageError where there are two or none.
Context context_of(const std::vector<Record>& records) {
  const Record* first = nullptr;
  for (const Record& r : records) {
    if (!has_figures(r)) continue;
    if (first == nullptr) first = &r;
    if (!are_comparable(first->context, r.context))
      throw UsageError(fmt::format("the run is of two contexts, ({}) and ({})",
                                   context_text(first->context), context_text(r.context)));
  }
  if (first == nullptr) throw UsageError("the run measured nothing");
  return first->context;
}

void refuse_above(const std::vector<Ceiling>& above) {
  if (above.empty()) return;
  std::vector<std::string> lines;
  for (const Ceiling& c : above) lines.push_back(ceiling_text(c) + " | WHY");
  throw OverCeiling(
      fmt::format("{} {} over the ceiling; where that is right, these lines in the ledger say so, "
                  "with a reason in place of WHY:",
                  above.size(), above.size() == 1 ? "tensor is" : "tensors are"),
      lines);
}

/// Smallest and largest of a figure over runs.
struct FigureRange {
  double low = 0;
  double high = 0;

  explicit FigureRange(double figure) : low(figure), high(figure) {}
  void add(double figure) {
    low = std::min(low, figure);
    high = std::max(high, figure);
  }
  double spread() const { return low > 0 ? high / low : 1; }
};

/// The figures of one tensor over all runs.
class Repeated {
 public:
  explicit Repeated(BaselineEntry entry)
      : entry_(std::move(entry)), max_(entry_.max_ratio), rms_(entry_.rms_ratio) {}

  void add(const BaselineEntry& other) {
    ++runs_;
    differs_ = differs_ || other.digest != entry_.digest;
    max_.add(other.max_ratio);
    rms_.add(other.rms_ratio);
    const std::optional<ErrorBound> bound = std::min(entry_.bound, other.bound);
    const std::optional<Rung> rung = std::max(entry_.rung, other.rung);
    const std::optional<std::int64_t> chain = std::max(entry_.chain, other.chain);
    if (other.max_ratio > entry_.max_ratio) {
      const double rms = entry_.rms_ratio;
      entry_ = other;
      entry_.rms_ratio = rms;
    }
    entry_.rms_ratio = std::max(entry_.rms_ratio, other.rms_ratio);
    entry_.p99_ratio = std::max(entry_.p99_ratio, other.p99_ratio);
    entry_.bound = bound;
    entry_.rung = rung;
    entry_.chain = chain;
  }

  BaselineEntry entry() const {
    BaselineEntry entry = entry_;
    if (differs_) entry.noise = {runs_, max_.spread(), rms_.spread()};
    return entry;
  }

 private:
  BaselineEntry entry_;
  FigureRange max_, rms_;
  std::int64_t runs_ = 1;
  bool differs_ = false;
};

}  // namespace

Baseline make_baseline(const std::vector<Record>& records, const Baseline* before,
                       const Acceptance& acceptance) {
  refuse_wrong(records);
  Baseline baseline;
  baseline.context = context_of(records);
  if (before != nullptr && !are_comparable(before->context, baseline.context))
    throw UsageError(fmt::format("the baseline is of ({}), the run of ({}); take another file",
                                 context_text(before->context), context_text(baseline.context)));
  std::map<Cell, Repeated> sorted;
  for (const Record& r : records)
    if (has_figures(r)) sorted.insert_or_assign({r.case_text, r.tensor}, Repeated(entry_of(r)));
  for (const std::vector<Record>& run : acceptance.repetitions) {
    refuse_wrong(run);
    for (const Record& r : run)
      if (const auto found = sorted.find({r.case_text, r.tensor}); found != sorted.end())
        if (has_figures(r)) found->second.add(entry_of(r));
  }
  for (const auto& [cell, repeated] : sorted) baseline.entries.push_back(repeated.entry());
  baseline.ceilings = updated_ceilings(
      before != nullptr ? before->ceilings : std::vector<Ceiling>(), acceptance.ledger, records);
  refuse_above(above_ceilings(baseline.ceilings, records));
  if (before != nullptr) baseline.reasons = before->reasons;
  baseline.reasons.push_back(acceptance.reason);
  return baseline;
}

}  // namespace gradproof
