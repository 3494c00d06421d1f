// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/tighter_contracts.h"

namespace gradproof {
namespace {

using Alternatives = std::vector<StepAlternative>;

/// True if a narrower word than `sums` applies to the stage.
bool has_narrower_sums(const GraphStage& stage) {
  const auto rows = sum_rows().subspan(1);
  return std::any_of(rows.begin(), rows.end(),
                     [&](const SumRow& row) { return has_sums(row, stage); });
}

/// The alternatives for a step's sums in any order, by the narrowest words.
std::vector<Alternatives> of_sums(const GraphStep& step, const StepContract& now) {
  std::vector<Alternatives> parts;
  const GraphStage& stage = graph_stage(step.stage);
  for (const SumRow& row : sum_rows()) {
    const bool open = std::any_of(row.roles.begin(), row.roles.end(), [&](SumRole role) {
      return now.order(role).kind == SumOrder::Kind::any;
    });
    if (!open || !has_sums(row, stage)) continue;
    if (row.roles.size() > 1 && has_narrower_sums(stage)) continue;
    StepAlternative lanes{step.value, {}};
    lanes.said.sums.emplace(row.word, SumOrder{SumOrder::Kind::lanes, 128});
    parts.push_back({lanes});
  }
  return parts;
}

Alternatives alternatives_of(const GraphStep& step, const FormRow& row, FormSet now) {
  Alternatives all;
  for (std::size_t k = 0; k < row.forms.size(); ++k) {
    const FormSet one{1U << k};
    if (!now.has(static_cast<int>(k)) || now == one) continue;
    StepAlternative form{step.value, {}};
    form.said.forms.emplace(row.part, one);
    all.push_back(form);
  }
  return all;
}

}  // namespace

std::vector<Alternatives> alternatives(const GraphClaim& claim) {
  std::vector<Alternatives> parts;
  for (const GraphStep& step : claim.graph.steps) {
    const StepContract& now = claim.contract.step(step.value);
    for (Alternatives& sums : of_sums(step, now)) parts.push_back(std::move(sums));
    for (const FormRow& row : form_rows())
      if (row.is_of(step.stage))
        parts.push_back(alternatives_of(step, row, now.of(row.part, step.stage)));
  }
  return parts;
}

}  // namespace gradproof
