// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "core/tensor/digest.h"
#include "properties/calibration/cells.h"
#include "properties/calibration/draw.h"
#include "properties/calibration/fork.h"
#include "properties/calibration/subject.h"
#include "properties/calibration/tolerances.h"

namespace gradproof {
namespace {

/// The judges that may convict a mutant; the tolerances compare with float32 first, then float64.
constexpr std::array kJudges{"executor",
                             "bound, given statistics",
                             "bound, end to end",
                             "allclose 1e-4 (f32)",
                             "allclose 1e-2 (f32)",
                             "assert_close (f32)",
                             "allclose 1e-4 (f64)",
                             "allclose 1e-2 (f64)",
                             "assert_close (f64)"};
static_assert(kJudges.size() == std::tuple_size_v<Convictions>);

using Said = std::array<bool, kJudges.size()>;

/// A Case's correct answer, whatever kernel runs it, and the judges' verdicts on the right kernel.
struct Stand {
  Case c;
  Answers end_to_end;
  References references;
  Said right{};
};

/// True if a second run, in other memory under another schedule, leaves other bits or a finding.
bool varies(const CalibrationResult& first) {
  const Kernel& kernel = *first.kernel;
  const Case c =
      first.c.with("schedule", first.c.is("schedule", "random:1") ? "forward" : "random:1");
  const KernelRun second =
      run_kernel(kernel, c, kernel.claim(c), first.inputs, execution_of(c), Keep::digests);
  if (!second.findings.empty()) return true;
  return first.claim.contract.deterministic &&
         std::any_of(first.got.begin(), first.got.end(), [&](const auto& item) {
           return digest(item.second) != second.digests.at(item.first);
         });
}

Said said_of(const CalibrationPlan& plan, const Stand& stand, const CalibrationResult& result) {
  Said said{};
  said[0] = !result.findings.empty() || varies(result);
  Flags flags;
  for (const auto& [name, answer] : result.answers) {
    const Tensor& got = get(result.got, name);
    said[1] = said[1] || judged(got, answer, plan).bad > 0;
    said[2] = said[2] || judged(got, stand.end_to_end.at(name), plan).bad > 0;
    flags.join(flags_of(name, got, stand.references));
  }
  std::copy(flags.flags.begin(), flags.flags.end(), said.begin() + 3);
  return said;
}

Stand stand_of(const CalibrationPlan& plan, const Case& c) {
  const CalibrationResult right = kernel_subject(plan.catalog, c);
  Stand stand{c,
              evaluate(right.claim, right.inputs, std::nullopt),
              references_of(right.claim, right.inputs),
              {}};
  stand.right = said_of(plan, stand, right);
  return stand;
}

/// Runs in a process of its own; a crash, or no end, is the executor's conviction. A kernel never
/// throws here: an exception is the judge's own, and convicts nobody.
ProcessResult run_mutant(const CalibrationPlan& plan, const Stand& stand,
                         const std::string& mutant) {
  return in_own_process([&] {
    plan.before_mutant();
    std::string letters;
    for (const bool flag :
         said_of(plan, stand, kernel_subject(plan.catalog, stand.c.with("mutant", mutant))))
      letters += flag ? '1' : '0';
    return letters;
  });
}

Said convictions_in(const ProcessResult& run) {
  Said said{};
  if (run.end == ProcessResult::End::lost) {
    said[0] = true;
    return said;
  }
  for (std::size_t k = 0; k < said.size(); ++k) said[k] = run.text.at(k) == '1';
  return said;
}

/// True if the Case's own keys allow it to be a mutant's.
bool is_for(const Case& c, const std::string& mutant) {
  const bool plain = c.is("mutant", "none") && c.is("law", "none") && c.is("device", "cpu");
  return plain && refusal_of(c.with("mutant", mutant)).empty();
}

void judge_mutants(const CalibrationPlan& plan, const Stand& stand, const Kernel& kernel,
                   PowerTally& power) {
  ++power.cases;
  for (std::size_t k = 0; k < kJudges.size(); ++k) power.right[k] += stand.right[k];
  for (const auto& [mutant, entry] : kernel.mutants) {
    if (!is_for(stand.c, mutant)) continue;
    const ProcessResult run = run_mutant(plan, stand, mutant);
    MutantScore& score = power.mutants[mutant];
    score.kernel = kernel.schema->word;
    if (run.end == ProcessResult::End::threw) {
      power.failures.push_back(fmt::format("not judged: {}  replay '{}'", run.text,
                                           to_string(stand.c.with("mutant", mutant))));
      continue;
    }
    const Said said = convictions_in(run);
    ++score.cases;
    for (std::size_t k = 0; k < kJudges.size(); ++k) {
      score.convicted[k] += said[k];
      score.clearly[k] += said[k] && !stand.right[k];
    }
  }
}

/// The number of mutants that each judge convicts in some case.
Convictions convicted_by(const PowerTally& power, Convictions MutantScore::*how) {
  Convictions total{};
  for (const auto& [name, t] : power.mutants)
    for (std::size_t k = 0; k < kJudges.size(); ++k) total[k] += (t.*how)[k] > 0;
  return total;
}

CalibrationTable table_of(const PowerTally& power) {
  CalibrationTable table{
      "cases of the suite in which each judge flags the mutant, the right kernel last",
      {"mutant", "kernel", "cases"},
      {}};
  for (const char* judge : kJudges) table.columns.emplace_back(judge);
  const auto row = [&](const std::string& name, const std::string& kernel, std::int64_t of,
                       const Convictions& numbers) {
    table.rows.push_back({name, kernel, std::to_string(of)});
    for (const std::int64_t n : numbers) table.rows.back().push_back(std::to_string(n));
  };
  for (const auto& [name, t] : power.mutants) row(name, t.kernel, t.cases, t.convicted);
  const auto count = static_cast<std::int64_t>(power.mutants.size());
  row("mutants flagged in some case", "", count, convicted_by(power, &MutantScore::convicted));
  row("where the right kernel is not", "", count, convicted_by(power, &MutantScore::clearly));
  row("right kernels flagged, of cases", "", power.cases, power.right);
  return table;
}

/// A line for each mutant that neither the executor nor the bound convicts.
std::vector<std::string> survivors(const PowerTally& power) {
  std::vector<std::string> names;
  for (const auto& [name, t] : power.mutants)
    if (t.convicted[0] + t.convicted[1] + t.convicted[2] == 0)
      names.push_back(
          fmt::format("not convicted by executor or bound: {} in {} cases", name, t.cases));
  return names;
}

}  // namespace

/// The Cases of the suite that a mutant of their kernel can run, for each kernel at most as many as
/// the plan asks for.
std::vector<Case> power_cases(const CalibrationPlan& plan) {
  std::vector<Case> cases;
  for (const SchemaPtr& schema : schemas_of(plan)) {
    const std::map<std::string, EntryPoints>& mutants = plan.catalog.named(schema->word).mutants;
    std::int64_t of_kernel = 0;
    for (const Case& c : plan.suite) {
      if (c.word() != schema->word) continue;
      const bool wanted = std::any_of(mutants.begin(), mutants.end(),
                                      [&](const auto& item) { return is_for(c, item.first); });
      if (!wanted || (plan.cases > 0 && of_kernel >= plan.cases)) continue;
      cases.push_back(c);
      ++of_kernel;
    }
  }
  return cases;
}

PowerTally power_tally(const CalibrationPlan& plan, const Case& c) {
  PowerTally power;
  judge_mutants(plan, stand_of(plan, c), plan.catalog.of(c), power);
  return power;
}

CalibrationReport calibrate_power(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  PowerTally power;
  const std::vector<Case> cases = power_cases(plan);
  std::map<std::string, std::int64_t> of_kernel;
  for (const Case& c : cases) {
    power.merge(power_tally(plan, c));
    plan.counted("cases", power.cases, std::ssize(cases));
    if (++of_kernel[c.word()] % 20 == 0)
      plan.progress(fmt::format("{}: {} cases", c.word(), of_kernel[c.word()]));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return power_report(power, seconds.count());
}

CalibrationReport power_report(const PowerTally& power, double seconds) {
  const std::vector<std::string> survived = survivors(power);
  CalibrationReport report{survived, {table_of(power)}, {}, 0};
  report.findings.insert(report.findings.end(), power.failures.begin(), power.failures.end());
  if (power.cases == 0) report.findings.emplace_back(kNothingJudged);
  // A mutant may survive only because it was not judged.
  report.code = !power.failures.empty() ? 3 : !survived.empty() ? 1 : power.cases > 0 ? 0 : 4;
  const Convictions clearly = convicted_by(power, &MutantScore::clearly);
  report.result = {{"mutants", std::to_string(power.mutants.size())},
                   {"cases", std::to_string(power.cases)}};
  constexpr std::array kNames{"executor",      "bound_given",   "bound_end_to_end",
                              "allclose_1e-4", "allclose_1e-2", "assert_close"};
  for (std::size_t k = 0; k < kNames.size(); ++k)
    report.result.emplace_back(kNames[k], std::to_string(clearly[k]));
  report.result.emplace_back("survivors", std::to_string(survived.size()));
  report.result.emplace_back("seconds", fmt::format("{:.1f}", seconds));
  return report;
}

}  // namespace gradproof
