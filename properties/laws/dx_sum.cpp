// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/case/inputs.h"
#include "core/claim/stage_traits.h"
#include "oracles/oracle.h"
#include "properties/laws/law.h"

namespace gradproof {
namespace {

bool has_group_norm(const Pipeline& pipeline) {
  return std::any_of(pipeline.steps.begin(), pipeline.steps.end(), [](const Step& step) {
    return traits_of(step).normalises == Normalises::group;
  });
}

/// Whether d_x sums to zero over each unit, as the gradient of what a norm takes does. What stands
/// before the norm must be affine with one factor in a unit: a factor of each column is one in a
/// BatchNorm's unit, which is a column, but not in a GroupNorm's.
bool vanishes(const Pipeline& pipeline) {
  for (const Step& step : pipeline.steps) {
    if (!step.from.empty()) return false;
    const StageTraits& traits = traits_of(step);
    if (traits.is_norm()) return traits.is_curved(pipeline.batch_statistics);
    if (traits.curved != Curved::never) return false;
    if (std::any_of(traits.parameters.begin(), traits.parameters.end(),
                    [](const StageParameter& parameter) { return parameter.multiplies; }) &&
        has_group_norm(pipeline))
      return false;
  }
  return false;
}

bool applies(const Claim& claim) {
  return claim.backward && claim.rows > 0 && claim.has("d_x") && vanishes(claim.pipeline);
}

/// Of a unit: a column, or one row of a group.
struct Sum {
  long double sum = 0;
  long double size = 0;  ///< of absolute values
};

std::vector<Sum> unit_sums(const Claim& claim, const Tensor& dx) {
  const std::int64_t groups = claim.groups;
  std::vector<Sum> sums(static_cast<std::size_t>(groups > 0 ? claim.rows * groups : claim.cols));
  const std::int64_t width = claim.block_width();
  for (std::int64_t row = 0; row < claim.rows; ++row)
    for (std::int64_t col = 0; col < claim.cols; ++col) {
      const std::int64_t unit = groups > 0 ? row * groups + col / width : col;
      const double value = dx.at(row * claim.cols + col);
      Sum& sum = sums[static_cast<std::size_t>(unit)];
      sum.sum += static_cast<long double>(value);
      sum.size += static_cast<long double>(std::abs(value));
    }
  return sums;
}

/// The law's answer is 0 in every unit; the oracle gives the bound alone.
Answer zeros_under(Answer bounds, const std::vector<double>& slack,
                   const std::vector<double>& rounding) {
  for (std::size_t i = 0; i < bounds.hi.size(); ++i) {
    bounds.hi[i] = bounds.lo[i] = 0;
    bounds.radius[i] = 0;  // the law's answer is exact
    bounds.bound[i] += slack[i] + rounding[i];
  }
  return bounds;
}

/// Every element is rounded once more where it is stored in fewer bits than it was computed in:
/// |stored - computed| <= u |computed| <= u / (1 - u) |stored|.
double storing_error(const Claim& claim) {
  const DType dtype = claim.tensor("d_x").dtype;
  if (dtype == claim.contract.accumulation) return 0;
  const double u = unit_roundoff(dtype);
  return u / (1 - u);
}

/// A pass proves something where the unit's gradient is not itself under the bound of its sum.
Verdict verdict_of(const Discrepancy& d, const std::vector<Sum>& sums, const Answer& answer) {
  if (d.bad > 0 || d.vacuous > 0) return judge(d);
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (static_cast<double>(sums[i].size) > answer.bound[i]) return {Outcome::passed, ""};
  return {Outcome::mistrusted, "every unit's gradient is under the bound of its sum"};
}

/// Whether a correct d_x may hold what is no finite number of its type.
bool leaves_range(const Answer& d_x) {
  for (std::size_t i = 0; i < d_x.hi.size(); ++i)
    if (!std::isfinite(d_x.hi[i]) || (!d_x.any_nonfinite.empty() && d_x.any_nonfinite[i] != 0))
      return true;
  return false;
}

std::vector<Finding> check(const Kernel& kernel, const Case& c) {
  const Claim claim = kernel.claim(c);
  const Tensors inputs = make_inputs(c, claim);
  if (!all_finite(inputs)) return {not_finite()};
  const KernelRun run = run_kernel(kernel, c, claim, inputs, execution_of(c));
  if (!run.findings.empty())
    return {{kExecutionQuantity, {}, {}, {Outcome::failed, run.findings.front().text}, ""}};
  if (leaves_range(evaluate(claim, inputs, std::nullopt).find("d_x")->second))
    return {not_finite()};
  const std::vector<Sum> sums = unit_sums(claim, get(run.tensors, "d_x"));
  const std::int64_t size = claim.groups > 0 ? claim.block_width() : claim.rows;
  std::vector<double> got, slack, rounding;
  const double stored = storing_error(claim);
  for (const Sum& sum : sums) {
    got.push_back(static_cast<double>(sum.sum));
    // Our own summation: n additions of 64 bits each, then one rounding to double.
    slack.push_back(static_cast<double>(sum.size) *
                    (std::ldexp(static_cast<double>(size), -64) + 0x1p-53));
    rounding.push_back(static_cast<double>(sum.size) * stored +
                       static_cast<double>(size) * underflow_unit(claim.tensor("d_x").dtype));
  }
  const Answer answer = zeros_under(unit_sums_of_dx(claim, inputs), slack, rounding);
  const bool grouped = claim.groups > 0;
  const Shape shape = grouped ? Shape{claim.rows, claim.groups} : Shape{claim.cols};
  Finding finding{grouped ? "sum of d_x over each group" : "sum of d_x over the rows",
                  shape,
                  {},
                  {},
                  answer.why};
  finding.discrepancy = compare(as_tensor(got), answer);
  finding.verdict = verdict_of(finding.discrepancy, sums, answer);
  return {finding};
}

}  // namespace

Law dx_sum() {
  return {"dx_sum", "d_x sums to zero over what a norm normalises together", applies, check};
}

}  // namespace gradproof
