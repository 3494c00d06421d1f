// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "core/error.h"
#include "core/tensor/philox.h"
#include "oracles/functions/function_target.h"

namespace gradproof {
namespace {

constexpr double kMostDigits = 50;

double digits_of_error(const Real& error, const Real& scale) {
  if (error == 0) return kMostDigits;
  if (!(error <= scale)) return 0;
  return std::min(kMostDigits, -log10(Real(error / scale)).convert_to<double>());
}

/// The audited gradient of one input, and where it exists: not on a kink, not outside a domain.
struct Known {
  Values<Real> gradient;
  std::vector<bool> exists;
  std::int64_t missing = 0;

  bool nothing() const { return missing == static_cast<std::int64_t>(gradient.size()); }
};

Known known(const FunctionTarget& target, std::size_t tensor) {
  const auto exact = target.losses(AuditArithmetic::digits400);
  const auto quick = target.losses(AuditArithmetic::double_double);
  exact->take_unit(0);
  quick->take_unit(0);
  Known result;
  result.gradient = exact->claimed(tensor);
  // A distance below the next double, so that only a kink on x itself is found.
  const double near = std::ldexp(1, quick->log2_scale(tensor) - 60);
  for (std::size_t i = 0; i < result.gradient.size(); ++i) {
    const bool smooth =
        quick->irregular(tensor, static_cast<std::int64_t>(i), near) == Irregularity::none;
    result.exists.push_back(smooth);
    result.missing += smooth ? 0 : 1;
  }
  return result;
}

/// A witness without a verdict yet.
AuditWitness silent(Witness name, const Known& known) {
  AuditWitness witness;
  witness.name = name;
  if (known.missing > 0)
    witness.text =
        fmt::format("{} entries on a kink or outside the domain left out", known.missing);
  return witness;
}

void add_text(AuditWitness& witness, const std::string& text) {
  witness.text += (witness.text.empty() ? "" : "; ") + text;
}

void conclude(AuditRow& row, const AuditWitness& witness, const std::string& because) {
  row.witnesses.push_back(witness);
  if (witness.verdict != WitnessVerdict::wrong) return;
  row.verdict = Outcome::wrong;
  row.reason = row.reason.empty() ? because : row.reason + "; " + because;
}

/// Whether there are derivatives to compare with; if not, the witness gets the reason as text.
bool has_derivative(const FunctionTarget& target, const Known& known, AuditWitness& witness) {
  if (target.lost()) add_text(witness, "the value cancels beyond 400 digits");
  return !target.lost() && !known.nothing();
}

/// Compares <J v, dy> of forward dual numbers with <v, gradient>, v random in this input.
AuditWitness dual_numbers(const FunctionTarget& target, std::size_t tensor,
                          const FunctionOptions& options) {
  const Known claim = known(target, tensor);
  const Stream stream(options.seed, "direction " + target.tensors()[tensor].name);
  std::vector<double> direction;
  Real product(0);
  Real magnitude(0);
  for (std::size_t i = 0; i < claim.gradient.size(); ++i) {
    direction.push_back(claim.exists[i] ? stream.normal(i) : 0);
    if (!claim.exists[i]) continue;
    const Real term = direction.back() * claim.gradient[i];
    product += term;
    magnitude += abs(term);
  }
  AuditWitness witness = silent(Witness::dual_numbers, claim);
  if (!has_derivative(target, claim, witness)) return witness;
  const PathSum forward = target.directional(tensor, direction);
  if (!isfinite(forward.sum) || !isfinite(forward.paths)) {
    add_text(witness, "<J v, dy> is not finite, and says nothing");
    return witness;
  }
  const Real error = abs(Real(forward.sum - product));
  const Real floor = forward.floor();
  const bool zero = magnitude <= floor && abs(forward.sum) <= floor;
  const Real scale = zero ? forward.paths : std::max(magnitude, Real(abs(forward.sum)));
  witness.digits = digits_of_error(error, scale);
  witness.verdict = witness.digits >= options.digits || error <= floor ? WitnessVerdict::agrees
                                                                       : WitnessVerdict::wrong;
  if (zero && forward.paths > 0) add_text(witness, "0 both ways, in digits of the terms");
  if (witness.verdict == WitnessVerdict::wrong)
    witness.text = fmt::format("<J v, dy> is {:.9g}, <v, gradient> {:.9g}",
                               forward.sum.convert_to<double>(), product.convert_to<double>());
  return witness;
}

/// What the errors of given numbers are relative to: the largest gradient of the tensor; where all
/// gradients are 0 within their rounding error, the largest sum of absolute terms.
struct GradientScale {
  Real scale{0};
  bool zero = true;
};

GradientScale gradient_scale(const Values<PathSum>& sums, const std::vector<bool>& exists) {
  GradientScale result;
  Real largest(0);
  Real paths(0);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!exists[i]) continue;
    largest = std::max(largest, Real(abs(sums[i].sum)));
    paths = std::max(paths, sums[i].paths);
    result.zero = result.zero && abs(sums[i].sum) <= sums[i].floor();
  }
  result.scale = result.zero ? paths : largest;
  return result;
}

/// Compares given doubles with the derivative by dual numbers.
AuditWitness numbers(const FunctionTarget& target, std::size_t tensor,
                     const std::vector<double>& given, double digits) {
  const Known truth = known(target, tensor);
  const Values<PathSum>& sums = target.path_sums(tensor);
  const GradientScale reference = gradient_scale(sums, truth.exists);
  const Real permitted = reference.scale * pow(Real(10), Real(-digits));
  std::vector<std::pair<double, std::int64_t>> wrong;
  Real worst(0);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!truth.exists[i]) continue;
    const Real error = std::isfinite(given[i]) ? Real(abs(given[i] - truth.gradient[i]))
                                               : Real(std::numeric_limits<double>::infinity());
    worst = std::max(worst, error);
    if (!(error <= std::max(permitted, sums[i].floor())))
      wrong.emplace_back(error.convert_to<double>(), static_cast<std::int64_t>(i));
  }
  AuditWitness witness = silent(Witness::numbers, truth);
  if (!has_derivative(target, truth, witness)) return witness;
  witness.verdict = wrong.empty() ? WitnessVerdict::agrees : WitnessVerdict::wrong;
  witness.digits = digits_of_error(worst, reference.scale);
  witness.ratio = permitted > 0 ? Real(worst / permitted).convert_to<double>() : 0;
  witness.wrong = static_cast<std::int64_t>(wrong.size());
  if (reference.zero && reference.scale > 0)
    add_text(witness, "the gradient is 0: in digits of its terms");
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr std::size_t kNamed = 8;
  for (std::size_t i = 0; i < std::min(kNamed, wrong.size()); ++i)
    witness.entries.push_back(wrong[i].second);
  return witness;
}

/// Throws UsageError unless 1 <= digits <= 16: a double holds no more, and 0 digits always agree.
void check_digits(double digits) {
  constexpr double kMostOfDoubles = 16;
  if (!(digits >= 1 && digits <= kMostOfDoubles))
    throw UsageError(fmt::format("digits of the given gradients: {} is not from 1 to {}", digits,
                                 kMostOfDoubles));
}

}  // namespace

std::vector<AuditRow> audit_function_target(const FunctionTarget& target,
                                            const FunctionOptions& options) {
  std::vector<AuditRow> rows = audit_target(target, options);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (target.has_own_gradient()) {
      conclude(rows[k], dual_numbers(target, k, options), "dual numbers contradict the gradient");
      continue;
    }
    const std::string claim = "claimed: the derivative by dual numbers";
    rows[k].reason = rows[k].reason.empty() ? claim : rows[k].reason + "; " + claim;
  }
  return rows;
}

std::vector<AuditRow> audit_given(const FunctionTarget& target, const FunctionOptions& options,
                                  const GivenGradients& given) {
  check_digits(given.digits);
  std::vector<std::size_t> sizes;
  for (const std::vector<double>& gradient : given.numbers) sizes.push_back(gradient.size());
  target.check_gradient(sizes, "the gradients that were given");
  std::vector<AuditRow> rows = audit_function_target(target, options);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const AuditWitness witness = numbers(target, k, given.numbers[k], given.digits);
    conclude(rows[k], witness,
             fmt::format("{} of the given numbers miss {} digits", witness.wrong, given.digits));
  }
  return rows;
}

}  // namespace gradproof
