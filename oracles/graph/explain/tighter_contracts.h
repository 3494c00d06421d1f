// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "core/graph/contract/declared_contract.h"
#include "oracles/explain/explain.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// One declaration about one step in place of the contract in force.
struct StepAlternative {
  std::string value;  ///< of the step
  StepDeclaration said;

  std::string text() const {
    DeclaredContract contract;
    contract.steps[value] = said;
    return to_string(contract);
  }
  void apply(GraphContract& to) const {
    StepContract step = to.step(value);
    said.apply(step);
    to.steps[value] = step;
  }
};

/// The alternatives of each part of a step: one form of several, and for sums in any order 128
/// lanes, as many as a block of threads has.
std::vector<std::vector<StepAlternative>> alternatives(const GraphClaim& claim);

/// The declarations that would lower an element's bound, the lowest first, then all of them.
/// bound_under(contract) is the element's bound under another contract.
template <class BoundUnder>
std::vector<ContractBound> tighter_contracts(const GraphClaim& claim, double now,
                                             const BoundUnder& bound_under) {
  std::vector<ContractBound> found;
  GraphContract together = claim.contract;
  for (const std::vector<StepAlternative>& part : alternatives(claim)) {
    ContractBound best{"", now};
    const StepAlternative* which = nullptr;
    for (const StepAlternative& alternative : part) {
      GraphContract contract = claim.contract;
      alternative.apply(contract);
      const double bound = bound_under(contract);
      if (!(bound < best.bound)) continue;
      best = {alternative.text(), bound};
      which = &alternative;
    }
    if (which == nullptr) continue;
    which->apply(together);
    found.push_back(best);
  }
  std::stable_sort(found.begin(), found.end(), [](const ContractBound& a, const ContractBound& b) {
    return a.bound < b.bound;
  });
  if (found.size() > 1) found.push_back({"", bound_under(together)});
  return found;
}

}  // namespace gradproof
