// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/case/inputs.h"
#include "core/claim/stage_traits.h"
#include "oracles/oracle.h"
#include "properties/laws/law.h"

namespace gradproof {
namespace {

constexpr std::int64_t kSteps = 3;

struct Moments {
  long double mean = 0;
  long double variance = 0;  ///< unbiased: the sum of squares over rows - 1
};

/// What a BatchNorm gets of one column: x, or x * scale.
std::vector<long double> normalized(const Claim& claim, const Tensors& inputs, std::int64_t col) {
  const Step& first = claim.pipeline.steps.front();
  long double factor = 1;
  if (first.kind == StageKind::scale) {
    const Tensor& scale = get(inputs, first.parameters.front());
    factor = static_cast<long double>(scale.at(scale.numel() == 1 ? 0 : col));
  }
  const Tensor& x = get(inputs, "x");
  std::vector<long double> values;
  for (std::int64_t row = 0; row < claim.rows; ++row)
    values.push_back(factor * static_cast<long double>(x.at(row * claim.cols + col)));
  return values;
}

Moments moments(const std::vector<long double>& values) {
  const auto rows = static_cast<long double>(values.size());
  Moments m;
  for (const long double v : values) m.mean += v;
  m.mean /= rows;
  for (const long double v : values) m.variance += (v - m.mean) * (v - m.mean);
  m.variance /= rows - 1;
  return m;
}

/// A BatchNorm that comes first, or right behind a scale.
bool applies(const Claim& claim) {
  const std::vector<Step>& steps = claim.pipeline.steps;
  const std::size_t norm = steps.front().kind == StageKind::scale ? 1 : 0;
  return norm < steps.size() && traits_of(steps[norm]).has_running_statistics() && claim.forward &&
         claim.pipeline.update_running && claim.rows > 1;
}

/// One buffer over the steps: what the recurrence says, and what the kernel may be off by so far.
struct Track {
  std::vector<long double> value;
  std::vector<double> bound;
};

Track start(const Tensor& initial) {
  Track t;
  for (std::int64_t i = 0; i < initial.numel(); ++i) {
    t.value.push_back(static_cast<long double>(initial.at(i)));
    t.bound.push_back(0);
  }
  return t;
}

/// r' = (1-m) r + m v; an error made before shrinks by |1-m|, this step adds its own bound.
void advance(Track& t, std::size_t col, long double m, long double v, double step_bound) {
  t.value[col] = (1 - m) * t.value[col] + m * v;
  t.bound[col] = static_cast<double>(std::abs(1 - m)) * t.bound[col] + step_bound;
}

Finding finding_of(const std::string& name, const Track& t, const Tensor& got) {
  Answer answer;
  for (std::size_t i = 0; i < t.value.size(); ++i) {
    answer.hi.push_back(static_cast<double>(t.value[i]));
    answer.lo.push_back(static_cast<double>(t.value[i] - static_cast<long double>(answer.hi[i])));
    // A few dozen operations of 64 bits at the size of the value.
    answer.radius.push_back(std::abs(answer.hi[i]) * 0x1p-58);
    answer.bound.push_back(t.bound[i] + answer.radius[i]);
    const double reach = std::abs(answer.hi[i]) + answer.bound[i];
    const bool in_range = reach <= largest_finite(got.dtype());
    if (!in_range) answer.bound[i] = std::numeric_limits<double>::infinity();
    answer.any_nonfinite.push_back(!in_range);
  }
  answer.why = "the steps' bounds, each shrunk by the later 1 - momentum";
  Finding finding{name + " after the steps", got.shape(), compare(got, answer), {}, answer.why};
  finding.verdict = judge(finding.discrepancy);
  return finding;
}

std::vector<Finding> check(const Kernel& kernel, const Case& c) {
  const Claim claim = kernel.claim(c);
  Tensors inputs = make_inputs(c, claim);
  Track mean = start(get(inputs, "running_mean"));
  Track variance = start(get(inputs, "running_var"));
  const double first = get(inputs, "num_batches_tracked").at(0);
  for (std::int64_t step = 0; step < kSteps; ++step) {
    Tensors fresh = make_inputs(c, claim, step);
    for (const char* name : {"running_mean", "running_var", "num_batches_tracked"})
      fresh.at(name) = get(inputs, name);
    inputs = std::move(fresh);
    if (!all_finite(inputs)) return {not_finite()};
    const KernelRun run = run_kernel(kernel, c, claim, inputs, execution_of(c));
    if (!run.findings.empty())
      return {{kExecutionQuantity, {}, {}, {Outcome::failed, run.findings.front().text}, ""}};
    const Answers step_bounds = evaluate(claim, inputs, std::nullopt);
    const long double factor =
        c.is_number("momentum")
            ? static_cast<long double>(round_to(claim.contract.scalar, c.real("momentum")))
            : 1 / static_cast<long double>(first + static_cast<double>(step) + 1);
    for (std::int64_t col = 0; col < claim.cols; ++col) {
      const Moments m = moments(normalized(claim, inputs, col));
      const auto at = static_cast<std::size_t>(col);
      advance(mean, at, factor, m.mean, step_bounds.find("running_mean")->second.bound[at]);
      advance(variance, at, factor, m.variance, step_bounds.find("running_var")->second.bound[at]);
    }
    for (const char* name : {"running_mean", "running_var", "num_batches_tracked"})
      inputs.at(name) = get(run.tensors, name);
  }
  Finding count{"num_batches_tracked after the steps", {1}, {}, {}, "exact"};
  const Answer steps{{first + kSteps}, {0}, {0}, {0}, "exact"};
  count.discrepancy = compare(get(inputs, "num_batches_tracked"), steps);
  count.verdict = judge(count.discrepancy);
  return {finding_of("running_mean", mean, get(inputs, "running_mean")),
          finding_of("running_var", variance, get(inputs, "running_var")), count};
}

}  // namespace

Law running_recurrence() {
  return {"running_recurrence",
          "running statistics follow r' = (1-m) r + m v over three training steps", applies, check};
}

}  // namespace gradproof
