// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "oracles/audit_gradients.h"
#include "oracles/oracle.h"

namespace gradproof {
namespace {

constexpr std::int64_t kSample = 6;
constexpr int kFirst = 3;    // the sweep starts at 2^-3 of the scale ...
constexpr int kStride = 3;   // ... and takes an eighth of the step
constexpr int kPoints = 16;  // down to 2^-48
constexpr double kDigitsNeeded = 20;
constexpr double kAllDigits = 50;
constexpr double kNothing = 1e-40;  ///< a gradient so far below the loss is 0

double digits_of(double error) {
  return error > 0 ? std::min(kAllDigits, -std::log10(error)) : kAllDigits;
}

Real largest(const Values<Real>& values) {
  Real most(0);
  for (const Real& v : values) most = abs(v) > most || isnan(v) ? abs(v) : most;
  return most;
}

/// Largest |a-b| in units of the scale.
double distance(const Values<Real>& a, const Values<Real>& b, const Real& scale) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, Real(abs(a[i] - b[i]) / scale).convert_to<double>());
  return most;
}

/// Entries evenly spread over the tensor, first and last included.
std::vector<std::int64_t> spread_over(std::int64_t entries) {
  const std::int64_t count = std::min(kSample, entries);
  std::vector<std::int64_t> sample;
  for (std::int64_t k = 0; k < count; ++k)
    sample.push_back(count == 1 ? 0 : k * (entries - 1) / (count - 1));
  return sample;
}

/// A step chosen without a look at the adjoint, and how well the differences agree there.
struct Chosen {
  int log2_step = 0;
  double agreement = 0;  ///< |D(h) - D(h/8)|: about the error of D(h), see docs/audit.md
  std::vector<SweepPoint> sweep;
};

Chosen sweep(const Differences& differences, const Values<Real>& claimed,
             const std::vector<std::int64_t>& sample, const Real& scale) {
  Values<Real> wanted;
  for (const std::int64_t entry : sample)
    wanted.push_back(claimed[static_cast<std::size_t>(entry)]);
  Chosen best;
  best.agreement = std::numeric_limits<double>::infinity();
  Values<Real> before;
  const int first = differences.log2_scale(sample) - kFirst;
  for (int k = 0; k < kPoints; ++k) {
    const int step = first - k * kStride;
    const Values<Real> now = differences.at(sample, step);
    best.sweep.push_back({step, distance(now, wanted, scale)});
    const double agreement = k > 0 ? distance(now, before, scale) : best.agreement;
    if (agreement < best.agreement) {
      best.agreement = agreement;
      best.log2_step = step + kStride;
    }
    before = now;
  }
  return best;
}

AuditRow inconclusive(AuditRow row, std::string reason) {
  row.verdict = "inconclusive";
  row.reason = std::move(reason);
  return row;
}

/// Worst and median entry.
AuditRow measured(AuditRow row, const Values<Real>& found, const Values<Real>& claimed,
                  const Real& scale) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < found.size(); ++i)
    errors.push_back(Real(abs(found[i] - claimed[i]) / scale).convert_to<double>());
  const auto worst = std::max_element(errors.begin(), errors.end());
  row.worst_index = worst - errors.begin();
  row.digits = digits_of(*worst);
  row.worst_difference = found[static_cast<std::size_t>(row.worst_index)].convert_to<double>();
  row.worst_adjoint = claimed[static_cast<std::size_t>(row.worst_index)].convert_to<double>();
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  row.median_digits = digits_of(*middle);
  return row;
}

/// certified: the differences meet the adjoint. wrong: they meet themselves far better than the
/// adjoint. inconclusive: they do not even meet themselves.
AuditRow judged(AuditRow row, double agreement) {
  const double own = digits_of(agreement);
  if (row.digits >= kDigitsNeeded) {
    row.verdict = "certified";
    row.reason = "";
    return row;
  }
  if (own < row.digits + 3)
    return inconclusive(
        std::move(row),
        fmt::format("differences agree with themselves to {:.1f} digits only", own));
  row.verdict = "wrong";
  row.reason = fmt::format(
      "differences agree with themselves to {:.1f} digits, with the gradient to {:.1f}: "
      "the curve is flat",
      own, row.digits);
  return row;
}

AuditRow audit_tensor(const Claim& claim, const Tensors& inputs, const TensorSpec& gradient,
                      const Values<Real>& claimed) {
  const Differences differences(claim, inputs, claim.tensor(gradient.name.substr(2)));
  AuditRow row;
  row.tensor = gradient.name;
  row.shape = gradient.layout.shape;
  row.entries = differences.entries();
  if (row.entries == 0) return inconclusive(std::move(row), "the tensor has no entries");
  const std::vector<std::int64_t> sample = spread_over(row.entries);
  const Values<Real> rough = differences.at(sample, differences.log2_scale(sample) - kPoints);
  Real scale = std::max(largest(claimed), largest(rough));
  if (!isfinite(scale))
    return inconclusive(std::move(row), "a gradient or a difference is not finite");
  // What does not depend on its input at all has a gradient of rounding errors alone.
  const Real natural = ldexp(differences.magnitude(sample), -differences.log2_scale(sample));
  const bool zero = scale <= natural * Real(kNothing);
  if (zero) scale = natural == 0 ? Real(1) : natural;
  Chosen chosen = sweep(differences, claimed, sample, scale);
  row.log2_step = chosen.log2_step;
  row.sweep = std::move(chosen.sweep);
  const Values<Real> found = differences.all(row.log2_step);
  row = measured(std::move(row), found, claimed, scale);
  // The worst entry need not be in the sample: its own agreement decides.
  const Values<Real> finer = differences.at({row.worst_index}, row.log2_step - kStride);
  const Values<Real> coarser{found[static_cast<std::size_t>(row.worst_index)]};
  row = judged(std::move(row), std::max(chosen.agreement, distance(finer, coarser, scale)));
  if (zero) row.reason = "the gradient is 0, and differences say so too";
  return row;
}

}  // namespace

std::vector<AuditRow> audit_gradients(const Claim& claim, const Tensors& inputs,
                                      const RealGradients& claimed) {
  std::vector<AuditRow> rows;
  for (const TensorSpec& spec : claim.tensors)
    if (spec.role == Role::gradient)
      rows.push_back(audit_tensor(claim, inputs, spec, claimed.at(spec.name)));
  return rows;
}

std::vector<AuditRow> audit(const Claim& claim, const Tensors& inputs) {
  return audit_gradients(claim, inputs, adjoint_gradients(claim, inputs));
}

}  // namespace gradproof
