// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <map>
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

struct Conviction {
  std::string mutant;
  std::string law;
  std::string text;  ///< the shrunk Case
};

/// All that is found of one plan.
class LawTrials {
 public:
  explicit LawTrials(const CalibrationPlan& plan) : plan_(plan) {}

  /// Each law on drawn Cases.
  void judge(const Kernel& kernel, const std::string& mutant) {
    ++mutants_;
    const std::vector<Case> drawn = drawn_cases(plan_, kernel, mutant);
    for (const Law& law : laws()) judge_by(law, kernel, mutant, drawn);
    if (!is_convicted(mutant)) findings_.push_back("not convicted by laws: " + mutant);
    plan_.progress(fmt::format("{}: {} convictions so far", mutant, convictions_.size()));
  }

  CalibrationReport report() && {
    std::set<std::string> convicted, at_work;
    for (const Conviction& c : convictions_) {
      convicted.insert(c.mutant);
      at_work.insert(c.law);
    }
    for (const Law& law : laws())
      if (!at_work.contains(law.name)) findings_.push_back("convicts no mutant: " + law.name);
    CalibrationReport report{std::move(findings_), {table()}, {}, 0};
    report.result = {{"mutants", std::to_string(mutants_)},
                     {"convicted", std::to_string(convicted.size())},
                     {"laws", std::to_string(laws().size())},
                     {"convicting", std::to_string(at_work.size())}};
    report.code = mutants_ == 0 ? 4 : unsound_ ? 3 : at_work.size() < laws().size() ? 1 : 0;
    return report;
  }

 private:
  bool is_convicted(const std::string& mutant) const {
    return std::any_of(convictions_.begin(), convictions_.end(),
                       [&](const Conviction& c) { return c.mutant == mutant; });
  }

  void judge_by(const Law& law, const Kernel& kernel, const std::string& mutant,
                const std::vector<Case>& cases) {
    const ProcessResult run = by_law(plan_, law, kernel, cases);
    if (run.end != ProcessResult::End::said)
      findings_.push_back(fmt::format("not judged: {} by {}: {}", mutant, law.name, run.text));
    if (run.end != ProcessResult::End::said || run.text.empty()) return;
    convictions_.push_back({mutant, law.name, run.text});
    const Case right = parse_case(run.text, plan_.catalog.schemas()).with("mutant", "none");
    if (!convicts(law, kernel, right)) return;
    findings_.push_back("the right kernel fails too: " + to_string(right));
    unsound_ = true;
  }

  /// The shortest Case of each mutant, and of each law.
  CalibrationTable table() const {
    std::map<std::string, const Conviction*> shortest;
    std::map<std::string, int> laws_of;
    const auto offer = [&](const std::string& name, const Conviction& c) {
      const Conviction*& best = shortest[name];
      if (best == nullptr || c.text.size() < best->text.size()) best = &c;
    };
    for (const Conviction& c : convictions_) {
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

  const CalibrationPlan& plan_;
  std::vector<Conviction> convictions_;
  std::vector<std::string> findings_;
  int mutants_ = 0;
  bool unsound_ = false;
};

}  // namespace

CalibrationReport calibrate_laws(const CalibrationPlan& plan) {
  const auto start = std::chrono::steady_clock::now();
  LawTrials trials(plan);
  for (const SchemaPtr& schema : schemas_of(plan)) {
    const Kernel& kernel = plan.catalog.named(schema->word);
    for (const auto& [mutant, entry] : kernel.mutants) trials.judge(kernel, mutant);
  }
  CalibrationReport report = std::move(trials).report();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  report.result.emplace_back("seconds", fmt::format("{:.1f}", seconds.count()));
  return report;
}

}  // namespace gradproof
