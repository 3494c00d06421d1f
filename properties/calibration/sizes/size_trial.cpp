// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/sizes/size_trial.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/compare/verdict.h"
#include "core/graph/graph_case.h"
#include "oracles/libtorch/graph.h"
#include "properties/calibration/sizes/rules.h"

namespace gradproof {
namespace {

constexpr auto kJudge = static_cast<std::size_t>(Rule::judge);
constexpr auto kFused = static_cast<std::size_t>(Rule::judge_fused);

/// A declaration of sums that wrong programs might have, and do not.
constexpr const char* kDeclared = "sums=lanes:128";

/// The right program that comes nearest to a tensor's bound.
struct Furthest {
  double ratio = 0;
  std::string variant;
};

bool all_same_bits(const Tensors& a, const Tensors& b) {
  return std::all_of(a.begin(), a.end(),
                     [&](const auto& t) { return same_bits(t.second, get(b, t.first)); });
}

/// The inputs that all programs are run on, with their reference and LibTorch's results.
struct Trial {
  Case of;
  Tensors inputs;
  Tensors reference;
  Tensors eager;  ///< by LibTorch, an operator after the other
};

class SizeTrial {
 public:
  SizeTrial(const CalibrationPlan& plan, const programs::Computation& computation, SizeRow& row)
      : plan_(plan), computation_(computation), row_(row), dtype_(parse_dtype(row.dtype)) {}

  void add(const Case& c) {
    const Graph graph = graph_of(c);
    Tensors inputs = make_graph_inputs(graph, c);
    Tensors reference = computation_.reference(inputs);
    Tensors eager = graph_in_libtorch(graph, inputs, types_of(graph, c));
    trials_.push_back({c, std::move(inputs), std::move(reference), std::move(eager)});
  }

  void run() {
    for (const programs::Variant& variant : computation_.right())
      take_right(variant.text(), !variant.eager,
                 tried([&](const Trial& trial) { return computed(variant, trial); }));
    take_right("LibTorch", false, tried([](const Trial& trial) { return trial.eager; }));
    for (const programs::Variant& variant : computation_.wrong(dtype_)) try_wrong(variant);
  }

 private:
  /// The rules' flags for one program on all inputs, and for each tensor the verdict with the
  /// largest error.
  struct Tried {
    RuleFlags flags{};
    UndeclaredVerdicts verdicts;
  };

  template <class Program>
  Tried tried(const Program& program, const std::string& contract = "") const {
    Tried found;
    for (const Trial& trial : trials_) {
      const Tensors got = program(trial);
      const RuleFlags flags = FieldRules(trial.reference, trial.eager).flags_of(got);
      for (std::size_t k = 0; k < kRules; ++k) found.flags[k] = found.flags[k] || flags[k];
      const Case of = contract.empty() ? trial.of : trial.of.with("contract", contract);
      for (const auto& [name, verdict] : plan_.undeclared(of, trial.inputs, got)) {
        const bool wrong = is_wrong(verdict.outcome);
        found.flags[kJudge] = found.flags[kJudge] || wrong;
        found.flags[kFused] = found.flags[kFused] || wrong || !verdict.is_fused;
        UndeclaredVerdict& worst = found.verdicts[name];
        if (!(verdict.ratio < worst.ratio) || wrong) worst = verdict;
      }
    }
    return found;
  }

  Tensors computed(const programs::Variant& variant, const Trial& trial) const {
    return computation_.computed(variant, dtype_, trial.inputs);
  }

  /// True if the program's results have the bits of the program without the fault.
  bool is_alike(const programs::Variant& variant) const {
    return std::all_of(trials_.begin(), trials_.end(), [&](const Trial& trial) {
      return all_same_bits(computed(variant, trial), computed({.order = variant.order}, trial));
    });
  }

  /// `says_fused` is true where the judge's verdict on fused code counts.
  void take_right(const std::string& program, bool says_fused, Tried found) {
    found.flags[kFused] = found.flags[kFused] && says_fused;
    ++row_.right;
    for (std::size_t k = 0; k < kRules; ++k) row_.flagged[k] += found.flags[k];
    for (const auto& [name, verdict] : found.verdicts) {
      row_.reach = std::max(row_.reach, verdict.ratio);
      Furthest& furthest = furthest_[name];
      if (verdict.ratio >= furthest.ratio) furthest = {verdict.ratio, program};
      if (is_wrong(verdict.outcome) || (found.flags[kFused] && !verdict.is_fused))
        row_.alarms.push_back(
            fmt::format("{} {} of the right program '{}', error/bound {:.4g}: {} {}",
                        is_wrong(verdict.outcome) ? name_of(verdict.outcome) : "not fused", name,
                        program, verdict.ratio, computation_.name, to_string(trials_.front().of)));
    }
  }

  void try_wrong(const programs::Variant& variant) {
    if (is_alike(variant)) {
      ++row_.alike;
      return;
    }
    const auto program = [&](const Trial& trial) { return computed(variant, trial); };
    const Tried found = tried(program);
    ++row_.wrong;
    for (std::size_t k = 0; k < kRules; ++k) row_.missed[k] += !found.flags[k];
    if (found.flags[kJudge]) return;
    row_.misses.push_back(missed(variant, found.verdicts));
    std::string& reason = row_.misses.back().reason;
    if (reason.empty() && found.flags[kFused]) reason = "it may round between its steps";
    if (reason.empty() && tried(program, kDeclared).flags[kJudge])
      reason = "a chain of additions may be as far off";
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
