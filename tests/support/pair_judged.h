// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/compare/verdict.h"
#include "judge/model_pairs/linear_step.h"
#include "oracles/linear/linear.h"
#include "oracles/oracle.h"

namespace gradproof {

/// The oracle's findings about one step of a pair.
struct JudgedStep {
  int tensors = 0;
  int mistrusted = 0;
  std::string failed;    ///< names, by the model's, and error/bound
  std::string evidence;  ///< the same of all tensors
};

inline void add(JudgedStep& step, const std::string& name, const Judged& judged) {
  const Outcome outcome = judge(judged.discrepancy).outcome;
  const std::string found =
      name + " " + std::to_string(judged.discrepancy.max_ratio) + " of its bound; ";
  ++step.tensors;
  step.evidence += found;
  if (outcome == Outcome::mistrusted)
    ++step.mistrusted;
  else if (outcome != Outcome::passed)
    step.failed += found;
}

/// Judges epilogue and Linear, every element of both.
inline JudgedStep judged(const LinearRun& run, const PairNames& names) {
  std::optional<GivenStatistics> given;
  if (run.run.tensors.contains("mean"))
    given = GivenStatistics{get(run.run.tensors, "mean"), get(run.run.tensors, "rstd")};
  JudgedStep step;
  for (const auto& [name, result] :
       compare_with_truth(run.epilogue, run.inputs, given, run.run.tensors))
    add(step, names.of(name), result);
  for (const auto& [name, result] : compare_linear(run.linear_tensors()))
    add(step, "linear " + name, result);
  return step;
}

}  // namespace gradproof
