// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "core/claim/contract.h"
#include "oracles/graph/graph_claim.h"
#include "oracles/truth/stored_rounding.h"

namespace gradproof {

/// The roundings of each output and gradient of a claim to the type that it is stored in.
class TargetRoundings {
 public:
  explicit TargetRoundings(const GraphClaim& claim)
      : usual_(rounding_to(claim, claim.contract.storage)) {
    for (const auto& [name, type] : claim.contract.results)
      others_.emplace(name, rounding_to(claim, type));
    for (const GraphStep& s : claim.graph.steps) {
      if (!may_be_welford(claim, s)) continue;
      for (const NormStatistic& of : claim.statistics)
        if (!of.is_rstd && of.norm == s.value)
          others_.insert_or_assign(of.name, open(claim, of.name));
      if (graph_stage(s.stage).moves_statistic())
        others_.insert_or_assign(s.value, open(claim, s.value));
    }
  }

  const StoredRounding& of(std::string_view target) const {
    const auto found = others_.find(target);
    return found == others_.end() ? usual_ : found->second;
  }

 private:
  static StoredRounding rounding_to(const GraphClaim& claim, DType type,
                                    bool order_decides_class = false) {
    return {stored_type_of(type, claim.contract.accumulation), claim.longest_chain(),
            claim.contract.accumulation, order_decides_class};
  }

  /// The rounding of a Welford statistic: Inf - Inf in it depends on the place of the infinity.
  static StoredRounding open(const GraphClaim& claim, std::string_view target) {
    return rounding_to(claim, claim.contract.result_dtype(target), true);
  }
  static bool may_be_welford(const GraphClaim& claim, const GraphStep& step) {
    return claim.contract.forms(step, FormPart::variance).has(static_cast<int>(Variance::welford));
  }

  StoredRounding usual_;
  std::map<std::string, StoredRounding, std::less<>> others_;
};

}  // namespace gradproof
