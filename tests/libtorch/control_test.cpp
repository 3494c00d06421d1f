// SPDX-License-Identifier: Apache-2.0
// What the LibTorch witness and the oracle together must expose: misread specifications, errors of
// float32's size, and a contract that promises less error than LibTorch makes.
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/autograd_claims.h"

namespace gradproof {
namespace {

// Controls. The oracle reads the claim, the witness reads it wrongly (or the reverse, which is the
// same comparison): the tensors that the misreading concerns must be beyond the bound.

struct Misreading {
  std::string what;
  std::string keys;
  std::function<void(Claim&)> apply;
  std::vector<std::string> tensors;
};

using Steps = std::vector<Step>;

/// Applies a change to the claim's steps.
std::function<void(Claim&)> steps(const std::function<void(Steps&)>& change) {
  return [change](Claim& c) { change(c.pipeline.steps); };
}

std::function<void(Claim&)> swapped(std::size_t a, std::size_t b) {
  return steps([a, b](Steps& s) { std::swap(s[a], s[b]); });
}

std::function<void(Claim&)> scalar(std::size_t step, std::size_t slot, double factor) {
  return steps([=](Steps& s) { s[step].scalars[slot] *= factor; });
}

void statistics_of_the_batch(Claim& c, bool whether) {
  c.pipeline.batch_statistics = c.pipeline.update_running = whether;
}

void exchange_weight_and_beta(Steps& s) {
  for (Step& step : s)
    if (step.kind == StageKind::batch_norm || step.kind == StageKind::group_norm)
      std::swap(step.parameters[0], step.parameters[1]);
}

std::vector<Misreading> misreadings_of_batch_norm() {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto drop_swish = [](Steps& s) { s.pop_back(); };
  return {
      {"bias after divide", "", swapped(1, 2), {"y", "d_x", "d_bias"}},
      {"swish missing", "", steps(drop_swish), {"y", "d_x", "d_weight"}},
      {"divide by another number", "", scalar(2, 0, 1 + 1e-6), {"y", "d_x"}},
      {"another eps", "", scalar(0, 0, 1 + 1e-6), {"rstd", "y"}},
      {"another momentum", "", scalar(0, 1, 1 + 1e-6), {"running_mean", "running_var"}},
      {"cumulative average", "", scalar(0, 1, none), {"running_mean", "running_var"}},
      {"batch statistics in eval",
       "mode=eval",
       [](Claim& c) { statistics_of_the_batch(c, true); },
       {"mean", "y", "d_x", "running_mean", "num_batches_tracked"}},
      {"running statistics in training",
       "",
       [](Claim& c) { statistics_of_the_batch(c, false); },
       {"mean", "y", "d_x", "running_var"}},
      {"weight and beta swapped",
       "",
       steps(exchange_weight_and_beta),
       {"y", "d_x", "d_weight", "d_beta"}},
      {"scale after the norm",
       "system=scale_batchnorm vector=each",
       swapped(0, 1),
       {"y", "mean", "d_x", "d_scale"}},
  };
}

std::vector<Misreading> misreadings_of_the_others() {
  const std::string head = "system=swish_bias_groupnorm vector=each";
  const std::string tail = "system=groupnorm_swish_multiply_swish vector=each";
  const auto first_missing = [](Steps& s) { s.erase(s.begin() + 1); };
  const auto other_groups = [](Claim& c) { c.groups = 4; };
  return {
      {"bias before swish", head, swapped(0, 1), {"y", "mean", "d_x", "d_bias"}},
      {"another eps of the group", head, scalar(2, 0, 1 + 1e-6), {"rstd", "y", "d_x"}},
      {"weight and beta of the group swapped",
       head,
       steps(exchange_weight_and_beta),
       {"y", "d_x", "d_weight", "d_beta"}},
      {"one swish missing", tail, steps(first_missing), {"y", "d_x", "d_multiply", "d_weight"}},
      {"multiply before the first swish", tail, swapped(1, 2), {"y", "d_x", "d_multiply"}},
      {"other groups", "system=groupnorm affine=no", other_groups, {"y", "d_x"}},
      {"multiply after both", "system=swish_multiply_swish", swapped(1, 2), {"y", "d_multiply"}},
      {"bias before the only swish", "system=swish_bias", swapped(0, 1), {"y", "d_x", "d_bias"}},
      {"bias after the division", "system=bias_divide_swish", swapped(0, 1), {"y", "d_bias"}},
  };
}

void expect_exposed(const Misreading& m) {
  SCOPED_TRACE(m.what);
  const Question q(read(m.keys));
  Claim misread = q.claim;
  m.apply(misread);
  for (TensorSpec& spec : misread.tensors)
    if ((spec.name == "mean" || spec.name == "rstd") && misread.groups > 0)
      spec.layout = Layout::contiguous({misread.rows, misread.groups});
  Tensors results = autograd_witness(misread, q.inputs);
  if (misread.groups != q.claim.groups)  // of another shape: no comparison is needed to see it
    for (const char* name : {"mean", "rstd"})
      results.at(name) = get(autograd_witness(q.claim, q.inputs), name);
  const std::string found = joined(disagreements(results, q.claim, q.inputs));
  for (const std::string& tensor : m.tensors)
    EXPECT_NE(("; " + found).find("; " + tensor + " "), std::string::npos)
        << tensor << " in: " << found;
}

TEST(AutogradWitness, ExposesMisreadSpecifications) {
  for (const Misreading& m : misreadings_of_batch_norm()) expect_exposed(m);
  for (const Misreading& m : misreadings_of_the_others()) expect_exposed(m);
}

/// A witness result with one tensor's elements changed.
std::string found_after(const std::string& keys, const std::string& tensor,
                        const std::function<double(double, std::int64_t)>& change) {
  const Question q(read(keys));
  Tensors results = autograd_witness(q.claim, q.inputs);
  Tensor& t = results.at(tensor);
  for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, change(t.at(i), i));
  return joined(disagreements(results, q.claim, q.inputs));
}

TEST(AutogradWitness, ExposesABiasedRunningVariance) {
  const Case c = read("rows=64");
  const Tensors inputs = Question(c).inputs;
  const double kept = 1 - c.real("momentum");
  const auto n = static_cast<double>(c.integer("rows"));
  const auto biased = [&](double stored, std::int64_t i) {
    const double old = kept * get(inputs, "running_var").at(i);
    return old + (stored - old) * (n - 1) / n;
  };
  EXPECT_NE(found_after("rows=64", "running_var", biased), "");
}

/// The bound is one of float64: an error of float32's size in any tensor is beyond it.
/// (One bias for all before a norm has no gradient at all.)
TEST(AutogradWitness, ExposesErrorsOfFloat32Size) {
  const auto same = [](double v, std::int64_t) { return v; };
  const double change = 1 + unit_roundoff(DType::f32);
  for (const std::string& word : systems()) {
    const std::string keys = "rows=64 vector=each system=" + word;
    EXPECT_EQ(found_after(keys, "y", same), "");
    for (const TensorSpec& spec : Question(read(keys)).claim.tensors) {
      if (spec.role == Role::input || spec.role == Role::parameter ||
          spec.role == Role::cotangent || spec.dtype == DType::i64)
        continue;
      EXPECT_NE(found_after(keys, spec.name, [&](double v, std::int64_t) { return v * change; }),
                "")
          << word << " " << spec.name;
    }
  }
}

/// The declared arithmetic is LibTorch's own: a contract that promises less error is refuted.
/// Groups of one channel have a mean without error, before which the other forms' errors show.
TEST(AutogradWitness, NeedsTheArithmeticThatItsContractDeclares) {
  for (const char* keys :
       {"rows=128 fill=offset:1e6", "system=groupnorm rows=128 cols=8 groups=8 fill=offset:1e6"}) {
    SCOPED_TRACE(keys);
    const Question q(read(keys));
    const Tensors results = autograd_witness(q.claim, q.inputs);
    EXPECT_EQ(joined(disagreements(results, q.claim, q.inputs)), "");
    Claim other = q.claim;
    other.contract.affine_folded = false;
    EXPECT_NE(joined(disagreements(results, other, q.inputs)), "");
    other = q.claim;
    other.contract.backward = NormBackward::standardized;
    EXPECT_EQ(joined(disagreements(results, other, q.inputs)) != "", q.claim.groups > 0);
    other = q.claim;
    for (Reduction& reduction : other.contract.reductions) reduction.chain = 0;
    EXPECT_NE(joined(disagreements(results, other, q.inputs)), "");
  }
}

}  // namespace
}  // namespace gradproof
