// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>

#include <fmt/format.h>

#include "core/case/inputs.h"
#include "core/error.h"
#include "core/parallel.h"
#include "properties/calibration/cells.h"
#include "properties/calibration/draw.h"
#include "properties/calibration/smallest.h"
#include "properties/calibration/subject.h"
#include "properties/search/search.h"

namespace gradproof {
namespace {

constexpr std::int64_t kSteps = 40;
constexpr double kLeastFound = 0.05;  ///< of the bound a search must reach

/// One kernel in one type and mode.
struct Setup {
  SchemaPtr schema;
  std::string dtype, mode;  ///< mode: "any" where there is none

  std::string name() const { return fmt::format("{} {} {}", schema->word, dtype, mode); }
};

std::vector<Setup> setups_of(const CalibrationPlan& plan) {
  std::vector<Setup> all;
  for (const SchemaPtr& schema : schemas_of(plan)) {
    const std::vector<std::string> modes =
        schema->has("mode") ? schema->key("mode", "").words : std::vector<std::string>{"any"};
    for (const std::string& dtype : schema->key("dtype", "").words)
      for (const std::string& mode : modes) all.push_back({schema, dtype, mode});
  }
  return all;
}

std::vector<std::string> keys_of(const Setup& setup) {
  std::vector<std::string> keys{"dtype=" + setup.dtype};
  if (setup.mode != "any") keys.push_back("mode=" + setup.mode);
  return keys;
}

Case plain_case(const Setup& setup) {
  Case c = Case(setup.schema).with("dtype", setup.dtype).with("rows", "64");
  return setup.mode == "any" ? c : c.with("mode", setup.mode);
}

std::string number(double value) { return fmt::format("{:.3g}", value); }

/// The kernel's tensors with the plan's faults. A Case that the executor convicts has none.
SearchEvaluation evaluated(const CalibrationPlan& plan, const Case& c) {
  SearchEvaluation evaluation;
  const CalibrationResult result = biased(kernel_subject(plan.catalog, c), plan.biased);
  for (const auto& [name, answer] : result.answers) {
    const Tensor& got = get(result.got, name);
    const Discrepancy d = judged(got, answer, plan);
    const bool inexact = std::any_of(answer.bound.begin(), answer.bound.end(),
                                     [](double bound) { return bound > 0; });
    evaluation.tensors.push_back(
        {name, d.max_ratio, index_text(got.shape(), d.worst.index), d.elements, inexact});
  }
  return evaluation;
}

/// Searches with `steps` random Cases, then with as many steps of the search for each tensor, one
/// of four in what the tensors hold.
Peaks peaks_of(const CalibrationPlan& plan, const Setup& setup, std::int64_t steps,
               const RandomBits& next) {
  constexpr std::int64_t kContents = 4;
  Search search({setup.schema, keys_of(setup), [&](const Case& c) { return evaluated(plan, c); },
                 [&](const Case& c) { return make_inputs(c, plan.catalog.of(c).claim(c)); }},
                next);
  for (std::int64_t k = 0; k < steps; ++k) search.draw();
  const auto inexact = std::count_if(search.found().begin(), search.found().end(),
                                     [](const auto& peak) { return peak.second.inexact; });
  for (std::int64_t k = 0; k < steps * inexact; ++k)
    k % kContents == 0 ? search.vary_contents() : search.vary_case();
  return search.found();
}

void add_peaks(const Setup& setup, const Peaks& peaks, TightPart& part) {
  for (const auto& [name, peak] : peaks) {
    if (peak.elements == 0) continue;
    part.steps += peak.cases;
    const std::string what =
        fmt::format("{} {} {} {}", setup.schema->word, setup.dtype, setup.mode, name);
    const bool exact = !peak.inexact;
    part.peaks.push_back({setup.schema->word, setup.dtype, setup.mode, name,
                          exact ? "exact" : number(peak.ratio), std::to_string(peak.cases),
                          to_string(*peak.c)});
    if (peak.ratio > 1)
      part.above.push_back(fmt::format("above its bound: {}, error/bound {:.4g}  replay '{}'", what,
                                       peak.ratio, to_string(*peak.c)));
    if (exact) {
      ++part.exact;
      continue;
    }
    ++part.tensors;
    part.highest = std::max(part.highest, peak.ratio);
    part.lowest = std::min(part.lowest, peak.ratio);
    if (peak.ratio < kLeastFound)
      part.below.push_back(fmt::format("below 5% of its bound: {}, {:.3g}", what, peak.ratio));
  }
}

void add_faults(const Catalog& catalog, const Setup& setup, std::uint64_t seed, TightPart& part) {
  const CalibrationResult result =
      kernel_subject(catalog, plain_case(setup).with("seed", std::to_string(seed)));
  for (const auto& [name, answer] : result.answers) {
    if (get(result.got, name).dtype() == DType::i64) continue;
    const Smallest s = smallest_faults(result, name);
    part.faults.push_back({setup.schema->word, setup.dtype, setup.mode, name, number(s.best),
                           number(s.median), number(s.column)});
  }
  if (setup.mode == "eval") return;
  const Largest largest = largest_sums(catalog, setup.schema, setup.dtype, seed);
  part.sums.push_back({setup.schema->word, setup.dtype, std::to_string(largest.statistics),
                       std::to_string(largest.gradients)});
}

TightPart part_of(const CalibrationPlan& plan, const Setup& setup) {
  TightPart part;
  const std::int64_t steps = plan.cases > 0 ? plan.cases : kSteps;
  add_peaks(setup, peaks_of(plan, setup, steps, random_bits(plan.seed, "tight " + setup.name())),
            part);
  add_faults(plan.catalog, setup, plan.seed, part);
  return part;
}

std::vector<CalibrationTable> tables_of(const std::vector<TightPart>& parts) {
  std::vector<CalibrationTable> tables{
      {"highest error/bound that a search on the correct kernel met",
       {"kernel", "dtype", "mode", "tensor", "error/bound", "steps", "case"},
       {}},
      {"smallest relative fault that is convicted, 64 rows of N(0,1)",
       {"kernel", "dtype", "mode", "tensor", "best element", "median element", "one column"},
       {}},
      {"largest sum of which one left-out term is mostly convicted, N(0,1), up to 32768",
       {"kernel", "dtype", "statistics", "gradients"},
       {}}};
  for (const TightPart& part : parts) {
    tables[0].rows.insert(tables[0].rows.end(), part.peaks.begin(), part.peaks.end());
    tables[1].rows.insert(tables[1].rows.end(), part.faults.begin(), part.faults.end());
    tables[2].rows.insert(tables[2].rows.end(), part.sums.begin(), part.sums.end());
  }
  return tables;
}

}  // namespace

CalibrationReport calibrate_tight(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Setup> setups = setups_of(plan);
  std::vector<TightPart> parts(setups.size());
  std::mutex mutex;
  std::size_t done = 0;
  for_each_index(static_cast<std::int64_t>(setups.size()), [&](std::int64_t i) {
    const auto k = static_cast<std::size_t>(i);
    parts[k] = part_of(plan, setups[k]);
    const std::lock_guard lock(mutex);
    plan.progress(fmt::format("{} of {} kernels, types and modes", ++done, setups.size()));
    plan.counted("searches", static_cast<std::int64_t>(done), std::ssize(setups));
  });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return tight_report(parts, seconds.count());
}

std::vector<std::string> tight_setups(const CalibrationPlan& plan) {
  std::vector<std::string> names;
  for (const Setup& setup : setups_of(plan)) names.push_back(setup.name());
  return names;
}

TightPart tight_part(const CalibrationPlan& plan, const std::string& name) {
  for (const Setup& setup : setups_of(plan))
    if (setup.name() == name) return part_of(plan, setup);
  throw UsageError(fmt::format("'{}' is no kernel, type and mode of this calibration", name));
}

CalibrationReport tight_report(const std::vector<TightPart>& parts, double seconds) {
  CalibrationReport report{{}, tables_of(parts), {}, 0};
  TightPart all;
  for (const TightPart& part : parts) {
    all.above.insert(all.above.end(), part.above.begin(), part.above.end());
    all.below.insert(all.below.end(), part.below.begin(), part.below.end());
    all.tensors += part.tensors;
    all.steps += part.steps;
    all.exact += part.exact;
    all.highest = std::max(all.highest, part.highest);
    all.lowest = std::min(all.lowest, part.lowest);
  }
  report.findings = all.above;
  report.findings.insert(report.findings.end(), all.below.begin(), all.below.end());
  if (all.tensors + all.exact == 0) report.findings.emplace_back(kNothingJudged);
  report.code = !all.above.empty() ? 1 : report.findings.empty() ? 0 : 4;
  report.result = {{"tensors", std::to_string(all.tensors)},
                   {"exact", std::to_string(all.exact)},
                   {"steps", std::to_string(all.steps)},
                   {"above", std::to_string(all.above.size())},
                   {"below", std::to_string(all.below.size())},
                   {"highest", number(all.highest)},
                   {"lowest", number(all.lowest)},
                   {"seconds", fmt::format("{:.1f}", seconds)}};
  return report;
}

}  // namespace gradproof
