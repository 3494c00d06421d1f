// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/sizes/size_trial.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/compare/verdict.h"
#include "core/graph/graph_case.h"
#include "properties/calibration/sizes/rules.h"

namespace gradproof {
namespace {

constexpr auto kJudge = static_cast<std::size_t>(Rule::judge);

/// The right program that comes nearest to a tensor's bound.
struct Furthest {
  double ratio = 0;
  std::string variant;
};

bool all_same_bits(const Tensors& a, const Tensors& b) {
  return std::all_of(a.begin(), a.end(),
                     [&](const auto& t) { return same_bits(t.second, get(b, t.first)); });
}

class SizeTrial {
 public:
  SizeTrial(const CalibrationPlan& plan, const programs::Computation& computation, const Case& c,
            SizeRow& row)
      : plan_(plan),
        computation_(computation),
        case_(c),
        row_(row),
        dtype_(parse_dtype(c.text("dtype"))),
        inputs_(make_graph_inputs(graph_of(c), c)),
        reference_(computation.reference(inputs_)),
        eager_(computation.computed({.eager = true}, dtype_, inputs_)) {}

  void run() {
    for (const programs::Variant& variant : computation_.right()) try_right(variant);
    for (const programs::Variant& variant : computation_.wrong(dtype_)) try_wrong(variant);
  }

 private:
  using Tried = std::pair<RuleFlags, UndeclaredVerdicts>;

  Tried tried(const Tensors& got) const {
    Tried found{FieldRules(reference_, eager_).flags_of(got),
                plan_.undeclared(case_, inputs_, got)};
    for (const auto& [name, verdict] : found.second)
      found.first[kJudge] = found.first[kJudge] || is_wrong(verdict.outcome);
    return found;
  }

  void try_right(const programs::Variant& variant) {
    const auto [flags, verdicts] = tried(computation_.computed(variant, dtype_, inputs_));
    ++row_.right;
    for (std::size_t k = 0; k < kRules; ++k) row_.flagged[k] += flags[k];
    for (const auto& [name, verdict] : verdicts) {
      row_.reach = std::max(row_.reach, verdict.ratio);
      Furthest& furthest = furthest_[name];
      if (verdict.ratio >= furthest.ratio) furthest = {verdict.ratio, variant.text()};
      if (is_wrong(verdict.outcome))
        row_.alarms.push_back(fmt::format(
            "{} {} of the right program '{}', error/bound {:.4g}: {} {}", name_of(verdict.outcome),
            name, variant.text(), verdict.ratio, computation_.name, to_string(case_)));
    }
  }

  void try_wrong(const programs::Variant& variant) {
    const Tensors got = computation_.computed(variant, dtype_, inputs_);
    if (all_same_bits(got, computation_.computed({.order = variant.order}, dtype_, inputs_))) {
      ++row_.alike;
      return;
    }
    const auto [flags, verdicts] = tried(got);
    ++row_.wrong;
    for (std::size_t k = 0; k < kRules; ++k) row_.missed[k] += !flags[k];
    if (!flags[kJudge]) row_.misses.push_back(missed(variant, verdicts));
  }

  MissedProgram missed(const programs::Variant& variant, const UndeclaredVerdicts& verdicts) const {
    MissedProgram miss{variant.text(), "", -1, ""};
    std::string reason;
    bool beyond = false;
    for (const auto& [name, verdict] : verdicts) {
      const auto right = furthest_.find(name);
      beyond = beyond || right == furthest_.end() || verdict.ratio > right->second.ratio;
      if (verdict.ratio <= miss.ratio) continue;
      miss.tensor = name;
      miss.ratio = verdict.ratio;
      if (right != furthest_.end()) reason = "no further off than " + right->second.variant;
    }
    if (!beyond) miss.reason = reason;
    return miss;
  }

  const CalibrationPlan& plan_;
  const programs::Computation& computation_;
  const Case& case_;
  SizeRow& row_;
  const DType dtype_;
  const Tensors inputs_;
  const Tensors reference_;
  const Tensors eager_;
  std::map<std::string, Furthest, std::less<>> furthest_;
};

}  // namespace

void try_size(const CalibrationPlan& plan, const programs::Computation& computation, const Case& c,
              SizeRow& row) {
  SizeTrial(plan, computation, c, row).run();
}

}  // namespace gradproof
