// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/ladder/run_under.h"

#include <cmath>

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "core/graph/samples/apart.h"
#include "judge/graph/samples/run_part.h"

namespace gradproof {

RunUnder::RunUnder(const Case& c, const GraphRun& run, ErrorBound bound)
    : run_(run),
      types_(types_of(run.claim.graph, c)),
      declared_(declared_of(c)),
      claim_(run.claim) {
  claim_.contract.bound = bound;
}

GraphClaim RunUnder::claim_of(const DeclaredContract& declared) const {
  GraphClaim claim = claim_;
  claim.contract = graph_contract(claim.graph, types_, declared);
  claim.contract.bound = claim_.contract.bound;
  return claim;
}

RunUnder::Found RunUnder::judged(const DeclaredContract& declared,
                                 const JudgedTensors& tensors) const {
  return judge_graph(claim_of(declared), run_.inputs, tensors, {.known = run_.known.get()});
}

Discrepancy RunUnder::discrepancy(const std::string& tensor,
                                  const DeclaredContract& declared) const {
  return judged(declared, {{tensor, &get(run_.got, tensor)}}).at(tensor).discrepancy;
}

bool RunUnder::fails_at(const std::string& tensor, std::int64_t index,
                        const DeclaredContract& declared) const {
  const std::vector<std::string>& axes = axes_of_target(claim_.graph, tensor);
  CutPlaces places;
  for (std::size_t k = axes.size(); k-- > 0;) {
    const std::int64_t extent = claim_.extents.at(axes[k]);
    if (extent > 1 && is_apart(claim_.graph, tensor, axes[k])) places[axes[k]] = {index % extent};
    index /= extent;
  }
  if (places.empty()) return false;
  const RunPart part(run_, {tensor}, std::move(places));
  GraphClaim claim = claim_of(declared);
  claim.extents = part.run().claim.extents;
  const JudgedTensors asked{{tensor, &get(part.run().got, tensor)}};
  return judge_graph(claim, part.run().inputs, asked).at(tensor).discrepancy.bad > 0;
}

std::string distance_text(const Discrepancy& d) {
  if (!std::isfinite(d.max_ratio)) return fmt::format("{} wrong in class", d.wrong_class);
  return fmt::format("{:.3g} {}", d.max_ratio, d.bad > 0 ? "bounds off" : "of bound");
}

}  // namespace gradproof
