// SPDX-License-Identifier: Apache-2.0
#include "reports/baseline.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "reports/record/tally.h"
#include "reports/text/number_text.h"

namespace gradproof {
namespace {

constexpr double kSigmas = 3;

/// (case, tensor)
using Cell = std::pair<std::string, std::string>;

Cell cell_of(const BaselineEntry& e) { return {e.case_text, e.tensor}; }

/// Backend, device and toolkit decide; another version of gradproof itself is what is being
/// compared.
bool comparable(const Context& a, const Context& b) {
  return a.backend == b.backend && a.device == b.device && a.toolkit == b.toolkit;
}

std::string context_text(const Context& c) {
  return fmt::format("{}, {}, {}", c.backend, c.device, c.toolkit);
}

bool has_measure(const Record& r) {
  const Outcome o = r.verdict.outcome;
  return r.tensor != kExecution && r.discrepancy().elements > 0 && o != Outcome::skipped &&
         o != Outcome::instrument_broken;
}

BaselineEntry entry_of(const Record& r) {
  const Discrepancy& d = r.discrepancy();
  return {r.case_text, r.tensor,    d.max_ratio,
          d.p99_ratio, d.rms_ratio, index_text(r.shape, d.worst.index),
          r.digest};
}

bool beyond(double now, double before, double band) { return now > before * band; }

/// "max grew 3.1 times (1.4 is chance)"
std::string growth(const std::string& what, double from, double to, double band) {
  const std::string times = from > 0 ? fmt::format("{} times", brief(to / from)) : "from 0";
  return fmt::format("{} {} (up to {} is another draw of the same errors)", what, times,
                     brief(band));
}

std::string direction(const BaselineEntry& from, const BaselineEntry& to, const DeadBand& band) {
  if (beyond(to.max_ratio, from.max_ratio, band.max))
    return growth("max", from.max_ratio, to.max_ratio, band.max);
  if (beyond(to.rms_ratio, from.rms_ratio, band.rms))
    return growth("rms", from.rms_ratio, to.rms_ratio, band.rms);
  return "";
}

}  // namespace

std::string_view name_of(Change change) {
  switch (change) {
    case Change::improved:
      return "improved";
    case Change::unchanged:
      return "unchanged";
    case Change::regressed:
      return "regressed";
    case Change::added:
      return "new";
    case Change::missing:
      return "missing";
  }
  return "";
}

std::int64_t BaselineComparison::count(Change change) const {
  return std::count_if(tensors.begin(), tensors.end(),
                       [&](const ChangedTensor& t) { return t.change == change; });
}

DeadBand dead_band(const Shape& shape) {
  const double n = shape.empty() ? 1 : static_cast<double>(std::max<std::int64_t>(1, shape.back()));
  // ln(n + 2): finite for a single error, and the same for many.
  return {1 + kSigmas / (2 * std::log(n + 2)), 1 + kSigmas / std::sqrt(2 * n)};
}

ChangedTensor compare_entry(const BaselineEntry& before, const Record& record) {
  ChangedTensor t{Change::unchanged, before, entry_of(record), before.digest != record.digest, ""};
  if (!t.other_bits) return t;
  const DeadBand band = dead_band(record.shape);
  const bool correctly_rounded = record.discrepancy().worst.ulp <= 0.5;
  if (const std::string worse = direction(t.before, t.now, band);
      !worse.empty() && !correctly_rounded) {
    t.change = Change::regressed;
    t.why = "grew: " + worse;
  } else if (const std::string better = direction(t.now, t.before, band); !better.empty()) {
    t.change = Change::improved;
    t.why = "shrank: " + better;
  }
  return t;
}

BaselineComparison compare(const std::vector<Record>& records, const Baseline& baseline,
                           const std::string& file) {
  BaselineComparison result{file, "", 0, {}};
  std::map<Cell, BaselineEntry> unseen;
  for (const BaselineEntry& e : baseline.entries) unseen[cell_of(e)] = e;
  std::string other;
  for (const Record& r : records) {
    if (!has_measure(r)) continue;
    if (!comparable(r.context, baseline.context)) {
      other = context_text(r.context);
      ++result.elsewhere;
      continue;
    }
    const auto before = unseen.find({r.case_text, r.tensor});
    if (before == unseen.end()) {
      result.tensors.push_back({Change::added, {}, entry_of(r), false, ""});
      continue;
    }
    result.tensors.push_back(compare_entry(before->second, r));
    unseen.erase(before);
  }
  if (result.tensors.empty()) {
    result.not_comparable = other.empty() ? "the run measured nothing"
                                          : fmt::format("the run is of ({}), the baseline of ({})",
                                                        other, context_text(baseline.context));
    return result;
  }
  for (const auto& [cell, entry] : unseen)
    result.tensors.push_back({Change::missing, entry, {}, false, ""});
  return result;
}

Baseline make_baseline(const std::vector<Record>& records, const Baseline* before,
                       const Reason& reason) {
  const Tally t = tally(records);
  if (t.failed + t.broken > 0)
    throw UsageError(fmt::format("{} tensors of the run are wrong; a baseline is made of passes",
                                 t.failed + t.broken));
  Baseline baseline;
  std::map<Cell, BaselineEntry> sorted;
  bool first = true;
  for (const Record& r : records) {
    if (!has_measure(r)) continue;
    if (first) baseline.context = r.context;
    first = false;
    if (!comparable(baseline.context, r.context))
      throw UsageError(fmt::format("the run is of two contexts, ({}) and ({})",
                                   context_text(baseline.context), context_text(r.context)));
    sorted[{r.case_text, r.tensor}] = entry_of(r);
  }
  if (sorted.empty()) throw UsageError("the run measured nothing");
  if (before != nullptr && !comparable(before->context, baseline.context))
    throw UsageError(fmt::format("the baseline is of ({}), the run of ({}); take another file",
                                 context_text(before->context), context_text(baseline.context)));
  for (const auto& [cell, entry] : sorted) baseline.entries.push_back(entry);
  if (before != nullptr) baseline.reasons = before->reasons;
  baseline.reasons.push_back(reason);
  return baseline;
}

}  // namespace gradproof
