// SPDX-License-Identifier: Apache-2.0
#include "core/graph/stages.h"
#include "properties/laws/laws.h"
#include "properties/laws/normalisation/negated.h"
#include "properties/laws/normalisation/normalised_tensor.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

void sign_of_scale_holds(Trial& t) {
  const NormalisedTensor found = *normalised_tensor(t.claim());
  std::set<std::string> names{found.factor, found.weight_of(t.claim()), "running_mean"};
  if (graph_stage(found.norm.stage).statistics == StageStatistics::given)
    names.insert(operand_of(found.norm, "mean"));
  expect_negated(t, names);
}

}  // namespace

Law sign_of_scale() {
  return {"sign_of_scale",
          "-scale before a norm with -weight behind it gives the same y and d_x, bit for bit",
          silences::any_of<silences::norm_not_first, silences::no_scale, silences::no_norm_weight,
                           silences::nondeterministic>,
          sign_of_scale_holds};
}

}  // namespace gradproof
