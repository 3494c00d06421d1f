// SPDX-License-Identifier: Apache-2.0
// Training together: ten SGD steps of a pair on the same data. Each step of ModelNew is judged from
// the state that it is in; how far the two drift apart is shown.
#include <algorithm>

#include <fmt/format.h>

#include "tests/support/pair_judged.h"
#include "tests/support/pair_support.h"

namespace gradproof {
namespace {

using PairTraining = PairTest;
INSTANTIATE_TEST_SUITE_P(Pairs, PairTraining, testing::ValuesIn(whole_pairs()), name_of_pair);

constexpr double kRate = 0.1;

void descend(LinearModel& model) {
  const at::NoGradGuard no_gradients;
  for (const at::Tensor& parameter : model.parameters()) parameter.sub_(kRate * parameter.grad());
}

double distance(LinearModel& a, LinearModel& b) {
  const StateDict other = state_dict(b);
  double largest = 0;
  for (const auto& [name, tensor] : state_dict(a))
    if (tensor.numel() > 0)
      largest = std::max(largest, (tensor - other.at(name)).abs().max().item<double>());
  return largest;
}

/// The loss is the mean of (y - target)^2: its cotangent is 2 (y - target) / n.
TEST_P(PairTraining, TenStepsEachWithinItsBound) {
  const Size size = pair().sizes[0];
  const Built b(pair(), size);
  const at::Tensor target = cotangent(size);
  std::string drift;
  for (std::uint64_t step = 0; step < 10; ++step) {
    SCOPED_TRACE(step);
    const at::Tensor x = input(size, 20 + step);
    b.model->zero_grad();
    const at::Tensor y = b.model->forward(x);
    const at::Tensor dy = (2.0 / static_cast<double>(y.numel())) * (y - target).detach();
    y.backward(dy);
    const LinearRun run =
        run_step(*b.fused, values_of(x), [&](const Tensor&) { return values_of(dy); });
    const JudgedStep result = judged(run, b.fused->names());
    EXPECT_EQ(result.failed, "");
    descend(*b.model);
    descend(*b.fused);
    drift += fmt::format("{:.1e} ", distance(*b.model, *b.fused));
  }
  RecordProperty("drift", drift);
  fmt::print("largest difference of a parameter or buffer after each step: {}\n", drift);
}

/// Control: one gradient left out, or the other sign, in one step is noticed there.
TEST_P(PairTraining, AStepThatIsOffIsNoticed) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  LinearRun run = run_step(*b.fused, values_of(input(size, 20)),
                           [&](const Tensor&) { return values_of(cotangent(size)); });
  EXPECT_EQ(judged(run, b.fused->names()).failed, "");
  Tensor& wrong = run.linear.at("d_" + run.name + ".weight");
  wrong.set(0, -wrong.at(0));
  EXPECT_NE(judged(run, b.fused->names()).failed, "");
}

}  // namespace
}  // namespace gradproof
