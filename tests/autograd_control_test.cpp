// SPDX-License-Identifier: Apache-2.0
// What the LibTorch witness and the oracle together must expose: misread specifications, errors of
// float32's size, and a contract that promises less error than LibTorch makes.
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "tests/autograd_claims.h"

namespace gradproof {
namespace {

// Controls. The oracle reads the claim, the witness reads it wrongly (or the reverse, which is the
// same comparison): the tensors that the misreading concerns must be beyond the bound.

struct Misreading {
  const char* what;
  const char* keys;
  std::function<void(Claim&)> apply;
  std::vector<std::string> tensors;
};

std::vector<Misreading> misreadings() {
  return {
      {"bias after divide",
       "",
       [](Claim& c) { std::swap(c.pipeline.steps[1], c.pipeline.steps[2]); },
       {"y", "d_x", "d_bias"}},
      {"swish missing",
       "",
       [](Claim& c) { c.pipeline.steps.pop_back(); },
       {"y", "d_x", "d_weight"}},
      {"divide by 1", "", [](Claim& c) { c.pipeline.steps[2].scalars[0] = 1; }, {"y", "d_x"}},
      {"another eps",
       "",
       [](Claim& c) { c.pipeline.steps[0].scalars[0] *= 1 + 1e-6; },
       {"rstd", "y"}},
      {"another momentum",
       "",
       [](Claim& c) { c.pipeline.steps[0].scalars[1] *= 1 + 1e-6; },
       {"running_mean", "running_var"}},
      {"cumulative average",
       "",
       [](Claim& c) { c.pipeline.steps[0].scalars[1] = std::numeric_limits<double>::quiet_NaN(); },
       {"running_mean", "running_var"}},
      {"batch statistics in eval",
       "mode=eval",
       [](Claim& c) { c.pipeline.batch_statistics = c.pipeline.update_running = true; },
       {"mean", "y", "d_x", "running_mean", "num_batches_tracked"}},
      {"running statistics in training",
       "",
       [](Claim& c) { c.pipeline.batch_statistics = c.pipeline.update_running = false; },
       {"mean", "y", "d_x", "running_var"}},
      {"weight and beta swapped",
       "",
       [](Claim& c) {
         std::swap(c.pipeline.steps[0].parameters[0], c.pipeline.steps[0].parameters[1]);
       },
       {"y", "d_x", "d_weight", "d_beta"}},
  };
}

TEST(AutogradWitness, ExposesMisreadSpecifications) {
  for (const Misreading& m : misreadings()) {
    SCOPED_TRACE(m.what);
    const Claim claim = claim_of(read(m.keys));
    const Tensors inputs = make_inputs(read(m.keys), claim);
    Claim misread = claim;
    m.apply(misread);
    const std::string found =
        joined(disagreements(autograd_witness(misread, inputs), claim, inputs));
    for (const std::string& tensor : m.tensors)
      EXPECT_NE(("; " + found).find("; " + tensor + " "), std::string::npos)
          << tensor << " in: " << found;
  }
}

/// A witness result with one tensor's elements changed.
std::string found_after(const std::string& tensor,
                        const std::function<double(double, std::int64_t)>& change) {
  const Case c = read("rows=64");
  const Claim claim = claim_of(c);
  const Tensors inputs = make_inputs(c, claim);
  Tensors results = autograd_witness(claim, inputs);
  Tensor& t = results.at(tensor);
  for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, change(t.at(i), i));
  return joined(disagreements(results, claim, inputs));
}

TEST(AutogradWitness, ExposesABiasedRunningVariance) {
  const Case c = read("rows=64");
  const Tensors inputs = make_inputs(c, claim_of(c));
  const double kept = 1 - c.real("momentum");
  const auto n = static_cast<double>(c.integer("rows"));
  const auto biased = [&](double stored, std::int64_t i) {
    const double old = kept * get(inputs, "running_var").at(i);
    return old + (stored - old) * (n - 1) / n;
  };
  EXPECT_NE(found_after("running_var", biased), "");
}

/// The bound is one of float64: an error of float32's size in any tensor is beyond it.
TEST(AutogradWitness, ExposesErrorsOfFloat32Size) {
  const auto same = [](double v, std::int64_t) { return v; };
  EXPECT_EQ(found_after("y", same), "");
  const double change = 1 + unit_roundoff(DType::f32);
  for (const char* name :
       {"y", "mean", "rstd", "running_mean", "running_var", "d_x", "d_weight", "d_beta", "d_bias"})
    EXPECT_NE(found_after(name, [&](double v, std::int64_t) { return v * change; }), "") << name;
}

/// The declared arithmetic is LibTorch's own: a contract that promises less error is refuted.
TEST(AutogradWitness, NeedsTheArithmeticThatItsContractDeclares) {
  const Case c = read("rows=128 fill=offset:1e6");
  const Claim claim = claim_of(c);
  const Tensors inputs = make_inputs(c, claim);
  const Tensors results = autograd_witness(claim, inputs);
  EXPECT_EQ(joined(disagreements(results, claim, inputs)), "");
  Claim unfolded = claim;
  unfolded.contract.affine_folded = false;
  EXPECT_NE(joined(disagreements(results, unfolded, inputs)), "");
  Claim exact_sums = claim;
  for (Reduction& reduction : exact_sums.contract.reductions) reduction.chain = 0;
  EXPECT_NE(joined(disagreements(results, exact_sums, inputs)), "");
}

}  // namespace
}  // namespace gradproof
