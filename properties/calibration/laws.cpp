// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/case/draw.h"
#include "core/case/shrink.h"
#include "core/error.h"
#include "core/parallel.h"
#include "properties/calibration/cells.h"
#include "properties/calibration/draw.h"
#include "properties/calibration/fork.h"
#include "properties/laws/law.h"

namespace gradproof {
namespace {

constexpr std::int64_t kDrawn = 24;  ///< Cases of a mutant
constexpr int kShrinks = 60;         ///< steps of one shrinking
constexpr double kMostDrawn = 5000;  ///< elements: laws run a kernel up to twenty times

/// Small Cases of the mutant.
std::vector<Case> drawn_cases(const CalibrationPlan& plan, const Kernel& kernel,
                              const std::string& mutant) {
  const RandomBits next = random_bits(plan.seed, "laws:" + mutant);
  const auto wanted = static_cast<std::size_t>(plan.cases > 0 ? plan.cases : kDrawn);
  std::vector<Case> cases;
  while (cases.size() < wanted) {
    const Case c = draw_case(kernel.schema, {"mutant=" + mutant}, next);
    if (elements_of(c) <= kMostDrawn) cases.push_back(c);
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

void judge_by(const CalibrationPlan& plan, const Law& law, const Kernel& kernel,
              const std::string& mutant, const std::vector<Case>& cases, MutantByLaws& found) {
  const ProcessResult run = by_law(plan, law, kernel, cases);
  if (run.end != ProcessResult::End::said)
    found.findings.push_back(fmt::format("not judged: {} by {}: {}", mutant, law.name, run.text));
  if (run.end != ProcessResult::End::said || run.text.empty()) return;
  found.convictions.push_back({mutant, law.name, run.text});
  const Case right = parse_case(run.text, plan.catalog.schemas()).with("mutant", "none");
  if (!convicts(law, kernel, right)) return;
  found.findings.push_back("the right kernel fails too: " + to_string(right));
  found.unsound = true;
}

/// The shortest Case of each mutant, and of each law.
CalibrationTable table_of(const std::vector<LawConviction>& convictions) {
  std::map<std::string, const LawConviction*> shortest;
  std::map<std::string, int> laws_of;
  const auto offer = [&](const std::string& name, const LawConviction& c) {
    const LawConviction*& best = shortest[name];
    if (best == nullptr || c.text.size() < best->text.size()) best = &c;
  };
  for (const LawConviction& c : convictions) {
    ++laws_of[c.mutant];
    offer("mutant " + c.mutant, c);
    offer("law " + c.law, c);
  }
  std::set<std::string> texts;
  CalibrationTable table{"the shortest Case of each mutant and of each law",
                         {"mutant", "laws that convict it", "law", "case"},
                         {}};
  for (const auto& [name, c] : shortest)
    if (texts.insert(c->text).second)
      table.rows.push_back({c->mutant, std::to_string(laws_of[c->mutant]), c->law, c->text});
  return table;
}

}  // namespace

std::vector<std::string> law_mutants(const CalibrationPlan& plan) {
  std::vector<std::string> names;
  for (const SchemaPtr& schema : schemas_of(plan))
    for (const auto& [mutant, entry] : plan.catalog.named(schema->word).mutants)
      names.push_back(schema->word + "/" + mutant);
  return names;
}

MutantByLaws mutant_by_laws(const CalibrationPlan& plan, const std::string& name) {
  const std::size_t slash = name.find('/');
  const Kernel& kernel = plan.catalog.named(name.substr(0, slash));
  const std::string mutant = name.substr(std::min(name.size(), slash + 1));
  if (slash == std::string::npos || !kernel.mutants.contains(mutant))
    throw UsageError(fmt::format("'{}' is no mutant", name));
  MutantByLaws found;
  const std::vector<Case> drawn = drawn_cases(plan, kernel, mutant);
  for (const Law& law : laws()) judge_by(plan, law, kernel, mutant, drawn, found);
  if (found.convictions.empty()) found.findings.push_back("not convicted by laws: " + mutant);
  return found;
}

CalibrationReport calibrate_laws(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> mutants = law_mutants(plan);
  std::vector<MutantByLaws> all;
  std::size_t convictions = 0;
  for (const std::string& mutant : mutants) {
    all.push_back(mutant_by_laws(plan, mutant));
    convictions += all.back().convictions.size();
    plan.counted("mutants", std::ssize(all), std::ssize(mutants));
    plan.progress(
        fmt::format("{}: {} convictions so far", mutant.substr(mutant.find('/') + 1), convictions));
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return laws_report(all, seconds.count());
}

CalibrationReport laws_report(const std::vector<MutantByLaws>& mutants, double seconds) {
  CalibrationReport report;
  std::vector<LawConviction> convictions;
  std::set<std::string> convicted, at_work;
  bool unsound = false;
  for (const MutantByLaws& found : mutants) {
    convictions.insert(convictions.end(), found.convictions.begin(), found.convictions.end());
    report.findings.insert(report.findings.end(), found.findings.begin(), found.findings.end());
    unsound = unsound || found.unsound;
  }
  for (const LawConviction& c : convictions) {
    convicted.insert(c.mutant);
    at_work.insert(c.law);
  }
  for (const Law& law : laws())
    if (!at_work.contains(law.name)) report.findings.push_back("convicts no mutant: " + law.name);
  report.tables = {table_of(convictions)};
  report.result = {{"mutants", std::to_string(mutants.size())},
                   {"convicted", std::to_string(convicted.size())},
                   {"laws", std::to_string(laws().size())},
                   {"convicting", std::to_string(at_work.size())},
                   {"seconds", fmt::format("{:.1f}", seconds)}};
  report.code = mutants.empty() ? 4 : unsound ? 3 : at_work.size() < laws().size() ? 1 : 0;
  return report;
}

}  // namespace gradproof
