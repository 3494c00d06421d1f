// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/normalisation/negated.h"

#include <set>

#include "core/graph/stages.h"

namespace gradproof {
namespace {

std::set<std::string> names_of(const Claim& claim, const NormalisedTensor& norm,
                               const std::string& tensor) {
  std::set<std::string> names{tensor, norm.weight_of(claim)};
  if (graph_stage(norm.norm.stage).statistics == StageStatistics::given)
    names.insert(operand_of(norm.norm, "mean"));
  if (!claim.by_graph) names.insert({"mean", "running_mean"});
  return names;
}

bool is_negated(const std::string& result, const std::set<std::string>& names) {
  return names.contains(result) || (result.starts_with("d_") && names.contains(result.substr(2)));
}

}  // namespace

void expect_negated(Trial& t, const NormalisedTensor& norm, const std::string& tensor) {
  const std::set<std::string> names = names_of(t.claim(), norm, tensor);
  Tensors inputs = t.inputs();
  for (const std::string& name : names)
    if (inputs.contains(name)) inputs = changed(std::move(inputs), name, negated);
  const LawRun run = t.run(inputs);
  for (const TensorSpec& spec : run.results()) {
    Tensors want{{spec.name, t.run().left(spec.name)}};
    if (is_negated(spec.name, names)) want = changed(std::move(want), spec.name, negated);
    t.expect_equal(spec.name + " of other signs", run.left(spec.name), want.at(spec.name),
                   t.run().near(spec.name));
  }
}

}  // namespace gradproof
