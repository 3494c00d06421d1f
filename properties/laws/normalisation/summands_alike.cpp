// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "core/graph/stages.h"
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/normalised_tensor.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// A norm's beta, and the summand that stands right behind the norm.
struct Summands {
  std::string beta;
  std::string bias;
  bool is_subtracted = false;
};

/// Empty where the step is no norm, or has none.
std::string beta_of(const GraphStep& step) {
  const GraphStage& stage = graph_stage(step.stage);
  const bool may = std::ranges::any_of(
      stage.operands, [](const StageOperand& operand) { return operand.word == "beta"; });
  return stage.is_norm() && may ? operand_of(step, "beta") : "";
}

/// The first ones of the graph whose gradients can be compared: of the same axes, or the summand is
/// one number. Nothing where there are none.
std::optional<Summands> summands_of(const Claim& claim) {
  for (const GraphStep& norm : claim.graph.steps) {
    const std::string beta = beta_of(norm);
    if (beta.empty() || takers_of(claim, beta) != 1 || takers_of(claim, norm.value) != 1 ||
        has_name(claim.graph.outputs, norm.value))
      continue;
    for (const GraphStep& step : claim.graph.steps) {
      if (!graph_stage(step.stage).is_summand() || step.operands[0].name != norm.value) continue;
      const GraphOperand& bias = step.operands[1];
      if (bias.is_number() || !claim.has("d_" + bias.name) || takers_of(claim, bias.name) != 1)
        continue;
      const std::vector<std::string>& axes = claim.graph.axes_of(bias.name);
      if (axes.empty() || axes == claim.graph.axes_of(beta))
        return Summands{beta, bias.name, graph_stage(step.stage).operands[1].subtracted};
    }
  }
  return std::nullopt;
}

void summands_alike_holds(Trial& t) {
  const Summands found = *summands_of(t.claim());
  const std::string gradient = "d_" + found.bias;
  const Estimate& beta = t.run().near("d_" + found.beta);
  const Estimate& bias = t.run().near(gradient);
  const std::vector<long double> ones(beta.size(), 1);
  // Equal numbers may have another shape, such as (1, cols).
  Estimate want = bias.size() == 1 ? weighted_sum(beta, ones) : beta;
  if (found.is_subtracted) want = -1 * std::move(want);
  want.shape = bias.shape;
  t.expect_near(gradient + " beside d_" + found.beta, bias, want);
}

std::string summands_alike_silence(const Claim& claim) {
  const std::optional<Summands> found = summands_of(claim);
  return silences::first_of({silences::no_gradients(claim),
                             found ? "" : "no bias stands right behind a norm",
                             found ? silences::lacks(claim, "d_" + found->beta) : ""});
}

}  // namespace

Law summands_alike() {
  return {"summands_alike", "beta and a bias right behind the norm have the same gradient",
          summands_alike_silence, summands_alike_holds};
}

}  // namespace gradproof
