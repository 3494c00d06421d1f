// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/sizes/size_trial.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/compare/verdict.h"
#include "core/graph/graph_case.h"
#include "properties/calibration/sizes/rules.h"

namespace gradproof {
namespace {

constexpr auto kJudge = static_cast<std::size_t>(Rule::judge);
constexpr auto kFused = static_cast<std::size_t>(Rule::judge_fused);

/// The right program that comes nearest to a tensor's bound.
struct Furthest {
  double ratio = 0;
  std::string variant;
};

bool all_same_bits(const Tensors& a, const Tensors& b) {
  return std::all_of(a.begin(), a.end(),
                     [&](const auto& t) { return same_bits(t.second, get(b, t.first)); });
}

/// What all programs are run on, and what is known of it.
struct Trial {
  Case of;
  Tensors inputs;
  Tensors reference;
  Tensors eager;
};

class SizeTrial {
 public:
  SizeTrial(const CalibrationPlan& plan, const programs::Computation& computation, SizeRow& row)
      : plan_(plan), computation_(computation), row_(row), dtype_(parse_dtype(row.dtype)) {}

  void add(const Case& c) {
    Tensors inputs = make_graph_inputs(graph_of(c), c);
    Tensors reference = computation_.reference(inputs);
    Tensors eager = computation_.computed({.eager = true}, dtype_, inputs);
    trials_.push_back({c, std::move(inputs), std::move(reference), std::move(eager)});
  }

  void run() {
    for (const programs::Variant& variant : computation_.right()) try_right(variant);
    for (const programs::Variant& variant : computation_.wrong(dtype_)) try_wrong(variant);
  }

 private:
  /// What the rules say of one program on all inputs; of a tensor the verdict with the largest
  /// error.
  struct Tried {
    RuleFlags flags{};
    UndeclaredVerdicts verdicts;
    bool is_alike = true;  ///< has the bits of the program without its fault
  };

  Tried tried(const programs::Variant& variant) const {
    Tried found;
    for (const Trial& trial : trials_) {
      const Tensors got = computation_.computed(variant, dtype_, trial.inputs);
      if (variant.fault != programs::Fault::none &&
          !all_same_bits(got,
                         computation_.computed({.order = variant.order}, dtype_, trial.inputs)))
        found.is_alike = false;
      const RuleFlags flags = FieldRules(trial.reference, trial.eager).flags_of(got);
      for (std::size_t k = 0; k < kRules; ++k) found.flags[k] = found.flags[k] || flags[k];
      for (const auto& [name, verdict] : plan_.undeclared(trial.of, trial.inputs, got)) {
        const bool wrong = is_wrong(verdict.outcome);
        found.flags[kJudge] = found.flags[kJudge] || wrong;
        found.flags[kFused] = found.flags[kFused] || wrong || !verdict.is_fused;
        UndeclaredVerdict& worst = found.verdicts[name];
        if (!(verdict.ratio < worst.ratio) || wrong) worst = verdict;
      }
    }
    return found;
  }

  void try_right(const programs::Variant& variant) {
    Tried found = tried(variant);
    if (variant.eager) found.flags[kFused] = false;  // it does not say that it is fused
    ++row_.right;
    for (std::size_t k = 0; k < kRules; ++k) row_.flagged[k] += found.flags[k];
    for (const auto& [name, verdict] : found.verdicts) {
      row_.reach = std::max(row_.reach, verdict.ratio);
      Furthest& furthest = furthest_[name];
      if (verdict.ratio >= furthest.ratio) furthest = {verdict.ratio, variant.text()};
      if (is_wrong(verdict.outcome) || (found.flags[kFused] && !verdict.is_fused))
        row_.alarms.push_back(fmt::format(
            "{} {} of the right program '{}', error/bound {:.4g}: {} {}",
            is_wrong(verdict.outcome) ? name_of(verdict.outcome) : "not fused", name,
            variant.text(), verdict.ratio, computation_.name, to_string(trials_.front().of)));
    }
  }

  void try_wrong(const programs::Variant& variant) {
    const Tried found = tried(variant);
    if (found.is_alike) {
      ++row_.alike;
      return;
    }
    ++row_.wrong;
    for (std::size_t k = 0; k < kRules; ++k) row_.missed[k] += !found.flags[k];
    if (!found.flags[kJudge]) row_.misses.push_back(missed(variant, found.verdicts));
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
  SizeRow& row_;
  const DType dtype_;
  std::vector<Trial> trials_;
  std::map<std::string, Furthest, std::less<>> furthest_;
};

}  // namespace

void try_size(const CalibrationPlan& plan, const programs::Computation& computation,
              std::uint64_t seed, SizeRow& row) {
  SizeTrial trial(plan, computation, row);
  for (const std::string_view fill : computation.fills)
    trial.add(computation.of(row.size, parse_dtype(row.dtype), seed, fill));
  trial.run();
}

}  // namespace gradproof
