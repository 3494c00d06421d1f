// SPDX-License-Identifier: Apache-2.0
// The LibTorch witness and the oracle together must expose misread specifications, errors of
// float32's size, and a contract that promises less error than LibTorch makes.
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include "core/graph/stages.h"
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

/// The stages of two steps exchanged, each with what stands beside what runs through it. Running
/// statistics are of what the norm takes then.
std::function<void(Claim&)> swapped(std::size_t a, std::size_t b) {
  return [a, b](Claim& c) {
    std::vector<GraphStep>& steps = c.graph.steps;
    std::swap(steps[a], steps[b]);
    std::swap(steps[a].value, steps[b].value);
    std::swap(steps[a].operands[0], steps[b].operands[0]);
    for (GraphStep& step : steps)
      if (graph_stage(step.stage).moves_statistic())
        step.operands[0] = c.chain()[first_norm(c.chain())].operands[0];
  };
}

/// A step left out.
std::function<void(Claim&)> without(std::size_t step) {
  return [step](Claim& c) {
    std::vector<GraphStep>& steps = c.graph.steps;
    const GraphStep gone = steps[step];
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(step));
    if (gone.value == "y") steps[step - 1].value = "y";
    for (GraphStep& other : steps)
      for (GraphOperand& operand : other.operands)
        if (operand.name == gone.value) operand = gone.operands[0];
  };
}

/// Another number for an option, wherever it stands.
std::function<void(Claim&)> option(const std::string& key) {
  return [key](Claim& c) {
    for (GraphStep& step : c.graph.steps)
      if (step.options.contains(key))
        step.options[key] = fmt::format("{}", step.number(key) * (1 + 1e-6));
  };
}

void another_divisor(Claim& c) {
  for (GraphStep& step : c.graph.steps)
    for (GraphOperand& operand : step.operands) operand.number *= 1 + 1e-6;
}

void exchange_weight_and_beta(Claim& c) {
  for (GraphStep& step : c.graph.steps)
    if (graph_stage(step.stage).is_norm()) std::swap(step.operands[1], step.operands[2]);
}

/// With the statistics of the mode.
std::function<void(Claim&)> as_in(const std::string& mode) {
  return [mode](Claim& c) { c.graph = claim_of(read("mode=" + mode)).graph; };
}

std::vector<Misreading> misreadings_of_batch_norm() {
  const auto cumulative = [](Claim& c) { c.cumulative = true; };
  return {
      {"bias after divide", "", swapped(1, 2), {"y", "d_x", "d_bias"}},
      {"swish missing", "", without(3), {"y", "d_x", "d_weight"}},
      {"divide by another number", "", another_divisor, {"y", "d_x"}},
      {"another eps", "", option("eps"), {"rstd", "y"}},
      {"another momentum", "", option("momentum"), {"running_mean", "running_var"}},
      {"cumulative average", "", cumulative, {"running_mean", "running_var"}},
      {"batch statistics in eval",
       "mode=eval",
       as_in("train"),
       {"mean", "y", "d_x", "running_mean", "num_batches_tracked"}},
      {"running statistics in training", "", as_in("eval"), {"mean", "y", "d_x", "running_var"}},
      {"weight and beta swapped", "", exchange_weight_and_beta, {"y", "d_x", "d_weight", "d_beta"}},
      {"scale after the norm",
       "system=scale_batchnorm vector=each",
       swapped(0, 1),
       {"y", "mean", "d_x", "d_scale"}},
  };
}

std::vector<Misreading> misreadings_of_the_others() {
  const std::string head = "system=swish_bias_groupnorm vector=each";
  const std::string tail = "system=groupnorm_swish_multiply_swish vector=each";
  const auto other_groups = [](Claim& c) { c.graph = with_groups(c.graph, 4); };
  return {
      {"bias before swish", head, swapped(0, 1), {"y", "mean", "d_x", "d_bias"}},
      {"another eps of the group", head, option("eps"), {"rstd", "y", "d_x"}},
      {"weight and beta of the group swapped",
       head,
       exchange_weight_and_beta,
       {"y", "d_x", "d_weight", "d_beta"}},
      {"one swish missing", tail, without(1), {"y", "d_x", "d_multiply", "d_weight"}},
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
    if ((spec.name == "mean" || spec.name == "rstd") && misread.groups() > 0)
      spec.layout = Layout::contiguous({misread.rows(), misread.groups()});
  Tensors results = autograd_witness(misread, q.inputs);
  if (misread.groups() != q.claim.groups())  // of another shape: no comparison is needed to see it
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
    EXPECT_EQ(joined(disagreements(results, other, q.inputs)) != "", q.claim.groups() > 0);
    other = q.claim;
    for (Reduction& reduction : other.contract.reductions) reduction.chain = 0;
    EXPECT_NE(joined(disagreements(results, other, q.inputs)), "");
  }
}

}  // namespace
}  // namespace gradproof
