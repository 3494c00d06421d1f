// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "core/compare/verdict.h"
#include "core/error.h"
#include "core/parallel.h"
#include "properties/calibration/cells.h"
#include "properties/calibration/draw.h"
#include "properties/calibration/faults.h"
#include "properties/calibration/fork.h"
#include "properties/calibration/tally.h"
#include "properties/calibration/threshold.h"

namespace gradproof {
namespace {

constexpr std::int64_t kFairCases = 100000;
constexpr std::int64_t kFairPart = 50;          ///< Cases that one thread takes at a time
constexpr std::uint64_t kFairPlantedEvery = 4;  ///< one Case of so many gets a fault
constexpr std::uint64_t kAtThreshold = 2;       ///< of so many, this one is drawn at a threshold

std::string alarm_of(const CalibrationResult& result, const std::string& tensor,
                     const Discrepancy& d, const Verdict& verdict) {
  return fmt::format("{} {} {}: {}, error/bound {:.4g} at {}  replay '{}'",
                     name_of(verdict.outcome), result.who, tensor, verdict.reason, d.max_ratio,
                     index_text(get(result.got, tensor).shape(), d.worst.index),
                     to_string(result.c));
}

/// Judges a result that should be right, and counts the verdicts of the judge and the tolerances.
void judge_correct(const CalibrationPlan& plan, const CalibrationResult& result,
                   const References& references, CalibrationTally& tally) {
  count_case(result, tally);
  ++tally.results;
  for (const simt::Finding& finding : result.findings)
    tally.alarms.push_back(fmt::format("{} {}: {}  replay '{}'", result.who, finding.kind,
                                       finding.text, to_string(result.c)));
  bool alarm = false;
  Flags flags;
  for (const auto& [name, answer] : result.answers) {
    const Tensor& got = get(result.got, name);
    const Discrepancy d = judged(got, answer, plan);
    const Verdict verdict = judge(d);
    ++tally.tensors;
    tally.elements += d.elements;
    tally.vacuous += d.vacuous;
    tally.mistrusted += verdict.outcome == Outcome::mistrusted;
    flags.join(flags_of(name, got, references));
    if (verdict.outcome == Outcome::passed || verdict.outcome == Outcome::mistrusted) continue;
    alarm = true;
    tally.alarms.push_back(alarm_of(result, name, d, verdict));
  }
  Flagged& row = tally.correct[fmt::format("{} {}", result.who, result.c.text("dtype"))];
  if (result.findings.empty())
    row.add(alarm, flags);
  else
    row.add_executor();
}

bool convicts(const CalibrationPlan& plan, const CalibrationResult& result,
              const Tensors& changed) {
  for (const auto& [name, tensor] : changed)
    if (judged(tensor, result.answers.at(name), plan).bad > 0) return true;
  return false;
}

void judge_planted(const CalibrationPlan& plan, const CalibrationResult& result,
                   const References& references, std::uint64_t turn, const RandomBits& next,
                   CalibrationTally& tally) {
  if (!result.findings.empty()) return;
  const std::uint64_t which = turn % (kFaults.size() + 1);
  if (which == kFaults.size()) {
    if (auto c = with_mutant(*result.kernel, result.c, next))
      tally.mutants.push_back(std::move(*c));
    return;
  }
  const auto planted = kFaults[which].plant(result, next);
  if (!planted) return;
  Flags flags;
  for (const auto& [name, tensor] : planted->changed)
    flags.join(flags_of(name, tensor, references));
  const bool convicted = convicts(plan, result, planted->changed);
  tally.planted[kFaults[which].name].add(convicted, flags);
  if (!convicted && which == 0)
    tally.missed.push_back(fmt::format("not convicted: {} in {}  replay '{}'", kFaults[which].name,
                                       planted->changed.begin()->first, to_string(result.c)));
}

/// LibTorch's references without the one of the result's own type: no result is its own reference.
References references_beside(const CalibrationResult& libtorch) {
  References all = references_of(libtorch.claim, libtorch.inputs);
  if (libtorch.c.is("dtype", "f32")) all.f32.reset();
  if (libtorch.c.is("dtype", "f64")) all.f64.reset();
  return all;
}

CalibrationTally calibrate_case(const CalibrationPlan& plan, std::int64_t number) {
  CalibrationTally tally;
  const RandomBits next = random_bits(plan.seed, fmt::format("fair {}", number));
  const auto turn = static_cast<std::uint64_t>(number);
  const bool at_threshold = turn % kFairPlantedEvery == kAtThreshold;
  tally.thresholds += at_threshold;
  const Case c =
      at_threshold ? draw_at_threshold(plan, number, next) : draw_fairly(plan, number, next);
  const CalibrationResult result = biased(kernel_subject(plan.catalog, c), plan.biased);
  const References references = references_of(result.claim, result.inputs);
  judge_correct(plan, result, references, tally);
  if (const auto libtorch = libtorch_subject(plan.catalog, c, next()))
    judge_correct(plan, *libtorch, references_beside(*libtorch), tally);
  if (turn % kFairPlantedEvery == 0)
    judge_planted(plan, result, references, turn / kFairPlantedEvery, next, tally);
  return tally;
}

/// Judges a mutant on one Case, in a process of its own: the executor convicts it by a finding, a
/// crash or no end; else it left results, which the bound and the tolerances flag or not.
void judge_mutant(const CalibrationPlan& plan, const Case& c, CalibrationTally& tally) {
  const Claim claim = plan.catalog.of(c).claim(c);
  const References references =
      references_of(claim, kernel_subject(plan.catalog, c.with("mutant", "none")).inputs);
  const ProcessResult run = in_own_process([&] {
    plan.before_mutant();
    const CalibrationResult result = kernel_subject(plan.catalog, c);
    if (!result.findings.empty()) return std::string();
    Flags flags;
    for (const auto& [name, answer] : result.answers)
      flags.join(flags_of(name, get(result.got, name), references));
    std::string text = convicts(plan, result, result.got) ? "1" : "0";
    for (const bool flag : flags.flags) text += flag ? '1' : '0';
    return text;
  });
  if (run.end == ProcessResult::End::threw) {
    tally.failures.push_back(fmt::format("not judged: {}  replay '{}'", run.text, to_string(c)));
    return;
  }
  if (run.end == ProcessResult::End::lost || run.text.empty())
    return tally.planted[kMutant].add_executor();
  Flags flags{{}, {references.f32.has_value(), references.f64.has_value()}};
  for (std::size_t k = 0; k < flags.flags.size(); ++k) flags.flags[k] = run.text.at(k + 1) == '1';
  tally.planted[kMutant].add(run.text.front() == '1', flags);
}

/// The kinds of faults that the kernels can have and that never came: the run says nothing of them.
std::set<std::string> not_planted(const CalibrationPlan& plan, const CalibrationTally& tally) {
  std::set<std::string> names;
  for (const SchemaPtr& schema : schemas_of(plan))
    names.merge(faults_of(plan.catalog.named(schema->word)));
  if (!tally.failures.empty()) names.erase(kMutant);  // one that was not judged did come
  std::erase_if(names, [&](const std::string& name) { return tally.planted.contains(name); });
  return names;
}

/// The reasons why the run says nothing about the bounds.
std::vector<std::string> incomplete(const CalibrationPlan& plan, const CalibrationTally& tally) {
  std::vector<std::string> lines;
  if (tally.results == 0) lines.emplace_back(kNothingJudged);
  const std::set<std::string> names = not_planted(plan, tally);
  if (!names.empty())
    lines.push_back(
        fmt::format("incomplete: never planted: {}; ask for more cases", fmt::join(names, ", ")));
  return lines;
}

}  // namespace

std::int64_t fair_cases(const CalibrationPlan& plan) {
  return plan.cases > 0 ? plan.cases : kFairCases;
}

CalibrationTally fair_tally(const CalibrationPlan& plan, const CaseRange& range) {
  CalibrationTally total;
  std::mutex mutex;
  std::int64_t done = 0;
  const std::int64_t count = range.end - range.first;
  // Each line renews the deadline of the request: with so many of them a slow machine meets it.
  const std::int64_t stride = std::max(kFairPart, count / 200);
  for_each_index((count + kFairPart - 1) / kFairPart, [&](std::int64_t part) {
    CalibrationTally tally;
    const std::int64_t end = std::min(count, (part + 1) * kFairPart);
    for (std::int64_t number = part * kFairPart; number < end; ++number)
      tally.merge(calibrate_case(plan, range.first + number));
    const std::lock_guard lock(mutex);
    done += end - part * kFairPart;
    plan.counted("cases", done, count);
    for (const std::string& alarm : tally.alarms) plan.progress(alarm);
    total.merge(std::move(tally));
    if (done / stride != (done - end + part * kFairPart) / stride)
      plan.progress(fmt::format("{} of {} cases, {} alarms", done, count, total.alarms.size()));
  });
  constexpr std::size_t kMutantStride = 500;
  for (std::size_t k = 0; k < total.mutants.size(); ++k) {
    judge_mutant(plan, total.mutants[k], total);
    plan.counted("planted mutants", static_cast<std::int64_t>(k + 1), std::ssize(total.mutants));
    if ((k + 1) % kMutantStride == 0)
      plan.progress(fmt::format("{} of {} planted mutants", k + 1, total.mutants.size()));
  }
  total.mutants.clear();
  return total;
}

CalibrationReport calibrate_fair(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const CalibrationTally tally = fair_tally(plan, {0, fair_cases(plan)});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return fair_report(plan, tally, seconds.count());
}

CalibrationReport fair_report(const CalibrationPlan& plan, const CalibrationTally& tally,
                              double seconds) {
  CalibrationReport report{tally.alarms, tables_of(tally), {}, 0};
  std::sort(report.findings.begin(), report.findings.end());
  const std::vector<std::string> missed = acquitted(tally);
  report.findings.insert(report.findings.end(), missed.begin(), missed.end());
  const std::vector<std::string> open = incomplete(plan, tally);
  report.findings.insert(report.findings.end(), open.begin(), open.end());
  report.code = !tally.alarms.empty() ? 1 : !missed.empty() ? 3 : open.empty() ? 0 : 4;
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  report.result = {{"cases", number(fair_cases(plan))},
                   {"thresholds", number(tally.thresholds)},
                   {"results", number(tally.results)},
                   {"tensors", number(tally.tensors)},
                   {"elements", number(tally.elements)},
                   {"false_alarms", number(static_cast<std::int64_t>(tally.alarms.size()))},
                   {"mistrusted", number(tally.mistrusted)},
                   {"planted", number(tally.planted_count())},
                   {"convicted", number(tally.convicted_count())},
                   {"seconds", fmt::format("{:.1f}", seconds)}};
  return report;
}

}  // namespace gradproof
