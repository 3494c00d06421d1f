// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "core/case/draw.h"
#include "core/case/shrink.h"
#include "core/parallel.h"
#include "properties/calibration/calibration.h"
#include "properties/calibration/draw.h"
#include "properties/calibration/fork.h"
#include "properties/laws/law.h"

namespace gradproof {
namespace {

constexpr std::int64_t kDrawn = 24;     ///< Cases of a mutant
constexpr int kShrinks = 60;            ///< steps of one shrinking
constexpr double kMostElements = 5000;  ///< of a Case: laws run a kernel up to twenty times

/// Drawn Cases of the mutant; the law is asked about each.
std::vector<Case> cases_for(const CalibrationPlan& plan, const Kernel& kernel,
                            const std::string& mutant) {
  const RandomBits next = random_bits(plan.seed, "laws:" + mutant);
  const auto wanted = static_cast<std::size_t>(plan.cases > 0 ? plan.cases : kDrawn);
  std::vector<Case> cases;
  while (cases.size() < wanted) {
    const Case c = draw_case(kernel.schema, {"mutant=" + mutant}, next);
    if (elements_of(c) <= kMostElements) cases.push_back(c);
  }
  return cases;
}

/// The first Case that the law fails on, shrunk; nothing where there is none.
std::string first_convicting(const Law& law, const Kernel& kernel, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Case wrong = c.with("law", law.name);
    if (!convicts(law, kernel, wrong)) continue;
    return to_string(shrink(
        wrong, [&](const Case& small) { return convicts(law, kernel, small); }, kShrinks));
  }
  return "";
}

/// One mutant by one law. In a process of its own: a wrong kernel may crash or never end, which is
/// not the law's doing, so that it convicts nobody here.
ProcessResult by_law(const CalibrationPlan& plan, const Law& law, const Kernel& kernel,
                     const std::vector<Case>& cases) {
  constexpr double kSeconds = 120;
  return in_own_process(
      [&] {
        const ThreadLimit one(1);
        plan.before_mutant();
        return first_convicting(law, kernel, cases);
      },
      kSeconds);
}

struct Conviction {
  std::string mutant;
  std::string kernel;
  std::string law;
  std::string text;  ///< the shrunk Case
};

}  // namespace

CalibrationReport calibrate_laws(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Conviction> convictions;
  std::set<std::string> mutants, convicted, at_work;
  CalibrationReport report;
  for (const SchemaPtr& schema : schemas_of(plan)) {
    const Kernel& kernel = plan.catalog.named(schema->word);
    for (const auto& [mutant, entry] : kernel.mutants) {
      mutants.insert(mutant);
      const std::vector<Case> cases = cases_for(plan, kernel, mutant);
      for (const Law& law : laws()) {
        const ProcessResult run = by_law(plan, law, kernel, cases);
        if (run.end != ProcessResult::End::said)
          report.findings.push_back(
              fmt::format("not judged: {} by {}: {}", mutant, law.name, run.text));
        if (run.end != ProcessResult::End::said || run.text.empty()) continue;
        convictions.push_back({mutant, schema->word, law.name, run.text});
        convicted.insert(mutant);
        at_work.insert(law.name);
        const Case right = parse_case(run.text, plan.catalog.schemas()).with("mutant", "none");
        if (convicts(law, kernel, right))
          report.findings.push_back("the right kernel fails too: " + to_string(right));
      }
      plan.progress(fmt::format("{}: {} by {} laws", mutant, schema->word, convictions.size()));
    }
  }
  CalibrationTable table{
      "mutants that laws convict, with the shrunk Case", {"law", "mutant", "case"}, {}};
  for (const Conviction& c : convictions) table.rows.push_back({c.law, c.mutant, c.text});
  report.tables.push_back(table);
  for (const std::string& mutant : mutants)
    if (!convicted.contains(mutant)) report.findings.push_back("not convicted by laws: " + mutant);
  for (const Law& law : laws())
    if (!at_work.contains(law.name)) report.findings.push_back("convicts no mutant: " + law.name);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  report.result = {{"mutants", std::to_string(mutants.size())},
                   {"convicted", std::to_string(convicted.size())},
                   {"laws", std::to_string(laws().size())},
                   {"convicting", std::to_string(at_work.size())},
                   {"seconds", fmt::format("{:.1f}", seconds.count())}};
  const bool unsound = std::any_of(report.findings.begin(), report.findings.end(),
                                   [](const auto& f) { return f.starts_with("the right kernel"); });
  report.code = mutants.empty() ? 4 : unsound ? 3 : at_work.size() < laws().size() ? 1 : 0;
  return report;
}

}  // namespace gradproof
