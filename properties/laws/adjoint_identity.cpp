// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/case/inputs.h"
#include "core/error.h"
#include "core/tensor/philox.h"
#include "oracles/oracle.h"
#include "properties/laws/law.h"

namespace gradproof {
namespace {

/// Signs only: v * gradient is then exact, and no entry is favoured.
Tensor signs(const TensorSpec& spec, std::uint64_t seed) {
  Tensor v(spec.dtype, Layout::contiguous(spec.layout.shape));
  const Stream stream(seed, "v:" + spec.name);
  for (std::int64_t i = 0; i < v.numel(); ++i)
    v.set(i, stream.bits(static_cast<std::uint64_t>(i)) & 1 ? 1 : -1);
  return v;
}

/// <v, J^T dy> by the kernel against <J v, dy> by dual numbers through the pipeline's value.
Finding along(const TensorSpec& spec, const Claim& claim, const Tensors& inputs,
              const Tensor& gradient, const Answer& bounds, std::uint64_t seed) {
  Tensors direction;
  const Tensor& v = direction.emplace(spec.name, signs(spec, seed)).first->second;
  const HiLo want = directional_derivative(claim, inputs, direction);
  long double sum = 0;
  long double sizes = 0;
  double bound = 0;
  bool any_nonfinite = false;
  for (std::int64_t i = 0; i < v.numel(); ++i) {
    sum += static_cast<long double>(v.at(i) * gradient.at(i));
    sizes += static_cast<long double>(std::abs(gradient.at(i)));
    const auto at = static_cast<std::size_t>(i);
    bound += bounds.bound[at];
    if (!std::isfinite(bounds.hi[at])) {  // the gradient itself leaves its type's range
      bound = std::numeric_limits<double>::infinity();
      any_nonfinite = true;
    }
    any_nonfinite = any_nonfinite || (!bounds.any_nonfinite.empty() && bounds.any_nonfinite[at]);
  }
  // Our own summation: n additions of 64 bits each, then one rounding to double.
  const auto slack =
      static_cast<double>(sizes) * (std::ldexp(static_cast<double>(v.numel()), -64) + 0x1p-53);
  // The truth is known to the last bit of hi + lo; the slack of our sum is in the bound.
  const double radius = std::ldexp(std::abs(want.hi), -104);
  const Answer answer{
      {want.hi},      {want.lo}, {radius}, {bound + slack}, "sum of the entries' bounds",
      {any_nonfinite}};
  Finding finding{"d_" + spec.name + " along v", {1}, {}, {}, answer.why};
  finding.discrepancy = compare(as_tensor({static_cast<double>(sum)}), answer);
  finding.verdict = judge(finding.discrepancy);
  return finding;
}

std::vector<Finding> check(const Kernel& kernel, const Case& c) {
  const Claim claim = kernel.claim(c);
  const Tensors inputs = make_inputs(c, claim);
  if (!all_finite(inputs)) return {not_finite()};
  const KernelRun run = run_kernel(kernel, c, claim, inputs, execution_of(c));
  if (!run.findings.empty())
    return {{kExecutionQuantity, {}, {}, {Outcome::failed, run.findings.front().text}, ""}};
  const Answers answers = evaluate(claim, inputs, std::nullopt);
  std::vector<Finding> findings;
  for (const TensorSpec& spec : claim.tensors) {
    const std::string name = "d_" + spec.name;
    if (!claim.has(name)) continue;
    findings.push_back(along(spec, claim, inputs, get(run.tensors, name),
                             answers.find(name)->second,
                             static_cast<std::uint64_t>(c.integer("seed"))));
  }
  return findings;
}

}  // namespace

Law adjoint_identity() {
  return {"adjoint_identity", "<J v, dy> = <v, J^T dy> for every input and parameter",
          [](const Claim& claim) { return claim.backward && claim.rows > 0; }, check};
}

}  // namespace gradproof
