// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/inputs.h"
#include "oracles/oracle.h"
#include "properties/law.h"

namespace gradproof {
namespace {

/// The law's answer is 0 in every column; the oracle gives the bound alone.
Answer zeros_under(Answer bounds, const std::vector<double>& slack) {
  for (std::size_t i = 0; i < bounds.hi.size(); ++i) {
    bounds.hi[i] = bounds.lo[i] = 0;
    bounds.radius[i] = slack[i];
    bounds.bound[i] += slack[i];
  }
  return bounds;
}

/// A pass proves something where the column's gradient is not itself under the bound of its sum.
Verdict verdict_of(const Discrepancy& d, const std::vector<double>& sizes, const Answer& answer) {
  if (d.bad > 0) return judge(d);
  if (d.vacuous > 0) return judge(d);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > answer.bound[i]) return {Outcome::passed, ""};
  return {Outcome::mistrusted, "every column's gradient is under the bound of its sum"};
}

std::vector<Finding> check(const Kernel& kernel, const Case& c) {
  const Claim claim = kernel.claim(c);
  const Tensors inputs = make_inputs(c, claim);
  const KernelRun run = run_kernel(kernel, c, claim, inputs, execution_of(c));
  if (!run.findings.empty())
    return {{kExecutionQuantity, {}, {}, {Outcome::failed, run.findings.front().text}, ""}};
  const Tensor& dx = get(run.tensors, "d_x");
  const auto cols = static_cast<std::size_t>(claim.cols);
  std::vector<double> sums(cols), sizes(cols), slack(cols);
  for (std::size_t col = 0; col < cols; ++col) {
    long double sum = 0;
    long double size = 0;
    for (std::int64_t row = 0; row < claim.rows; ++row) {
      const double value = dx.at(row * claim.cols + static_cast<std::int64_t>(col));
      sum += static_cast<long double>(value);
      size += static_cast<long double>(std::abs(value));
    }
    sums[col] = static_cast<double>(sum);
    sizes[col] = static_cast<double>(size);
    // Our own summation: n additions of 64 bits each, then one rounding to double.
    slack[col] = sizes[col] * (std::ldexp(static_cast<double>(claim.rows), -64) + 0x1p-53);
  }
  const Answer answer = zeros_under(column_sums_of_dx(claim, inputs), slack);
  Finding finding{"sum of d_x over the rows", {claim.cols}, {}, {}, answer.why};
  finding.discrepancy = compare(as_tensor(sums), answer);
  finding.verdict = verdict_of(finding.discrepancy, sizes, answer);
  return {finding};
}

}  // namespace

Law dx_sum() {
  return {"dx_sum", "d_x sums to zero over a training batch in every column",
          [](const Claim& claim) {
            return claim.backward && claim.pipeline.batch_statistics && claim.rows > 0;
          },
          check};
}

}  // namespace gradproof
