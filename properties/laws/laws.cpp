// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

constexpr Law (*kLaws[])() = {adjoint_identity,
                              cotangent_zero,
                              cotangent_negated,
                              cotangent_doubled,
                              cotangent_split,
                              dx_sum,
                              dx_along_x,
                              shift,
                              power_of_two,
                              sign,
                              sign_of_scale,
                              summands_alike,
                              rows_reordered,
                              columns_reordered,
                              groups_reordered,
                              rows_split,
                              rows_alone,
                              rows_independent,
                              rows_twice,
                              rows_invariant,
                              running_recurrence,
                              cumulative_average,
                              momentum_zero,
                              train_then_eval,
                              eval_keeps_buffers,
                              eval_between_steps,
                              backward_keeps_forward,
                              interleaved_calls,
                              two_instances,
                              call_sequences,
                              clean_runs,
                              everything_written,
                              layouts_alike,
                              overlap_refused,
                              bad_calls_refused,
                              gradients_by_choice,
                              repeatability,
                              schedules_alike,
                              nonfinite_reach};

}  // namespace

const std::vector<Law>& laws() {
  static const std::vector<Law> all = [] {
    std::vector<Law> made;
    for (const auto make : kLaws) made.push_back(make());
    return made;
  }();
  return all;
}

const Law& law_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Law& law : laws()) {
    if (law.name == name) return law;
    names.push_back(law.name);
  }
  throw UsageError(fmt::format("unknown law '{}'; known: {}", name, fmt::join(names, " ")));
}

std::vector<Finding> check_law(const Law& law, const Kernel& kernel, const Case& c) {
  if (const std::string silence = law.silence(kernel.claim(c)); !silence.empty())
    throw UsageError(
        fmt::format("law={} says nothing of '{}': {}", law.name, to_string(c), silence));
  try {
    Trial trial(kernel, c);
    law.holds(trial);
    return std::move(trial).findings();
  } catch (const LawEnds& ends) {
    return {ends.finding};
  } catch (const CallRaised& raised) {
    return {{kExecutionQuantity, {}, {}, {Outcome::mistrusted, raised.what()}, ""}};
  }
}

bool convicts(const Law& law, const Kernel& kernel, const Case& c) {
  if (!law.applies(kernel.claim(c))) return false;
  const std::vector<Finding> findings = check_law(law, kernel, c);
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) {
    const bool its_own = f.quantity != kExecutionQuantity || law.name == clean_runs().name;
    return its_own && is_wrong(f.verdict.outcome);
  });
}

}  // namespace gradproof
