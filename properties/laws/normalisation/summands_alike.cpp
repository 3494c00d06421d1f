// SPDX-License-Identifier: Apache-2.0
#include "core/graph/stages.h"
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// The summand that stands right behind the norm; empty where there is none.
std::string bias_behind_norm(const Claim& claim) {
  const std::vector<GraphStep> chain = claim.chain();
  const std::size_t behind = first_norm(chain) + 1;
  if (behind >= chain.size() || !graph_stage(chain[behind].stage).is_summand()) return "";
  return chain[behind].operands.at(1).name;
}

void summands_alike_holds(Trial& t) {
  const std::string gradient = "d_" + bias_behind_norm(t.claim());
  const Estimate& beta = t.run().near("d_beta");
  const Estimate& bias = t.run().near(gradient);
  const std::vector<long double> ones(beta.size(), 1);
  t.expect_near(gradient + " beside d_beta", bias,
                bias.size() == 1 ? weighted_sum(beta, ones) : beta);
}

}  // namespace

Law summands_alike() {
  return {"summands_alike", "beta and a bias right behind the norm have the same gradient",
          [](const Claim& claim) {
            const std::string bias = bias_behind_norm(claim);
            return silences::first_of({silences::no_gradients(claim),
                                       bias.empty() ? "no bias stands right behind a norm" : "",
                                       silences::lacks(claim, "d_beta"),
                                       silences::lacks(claim, "d_" + bias)});
          },
          summands_alike_holds};
}

}  // namespace gradproof
