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

/// The claimed gradient of one input, and where it exists: not on a kink nor outside a domain.
struct Known {
  Values<Real> gradient;
  std::vector<bool> exists;
  std::int64_t missing = 0;

  bool nothing() const { return missing == static_cast<std::int64_t>(gradient.size()); }
};

Known known(const FunctionTarget& subject, std::size_t tensor) {
  const auto exact = subject.losses(AuditArithmetic::digits50);
  const auto quick = subject.losses(AuditArithmetic::double_double);
  exact->take_unit(0);
  quick->take_unit(0);
  Known result;
  result.gradient = exact->claimed(tensor);
  // Nearer to x than the next double: a kink on x itself, and no other.
  const double near = std::ldexp(1, quick->log2_scale(tensor) - 60);
  for (std::size_t i = 0; i < result.gradient.size(); ++i) {
    const bool smooth = quick->irregular(tensor, static_cast<std::int64_t>(i), near).empty();
    result.exists.push_back(smooth);
    result.missing += smooth ? 0 : 1;
  }
  return result;
}

/// Until it has something to say.
AuditWitness silent(const std::string& name, const Known& known) {
  AuditWitness witness;
  witness.name = name;
  witness.verdict = "silent";
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
  if (witness.verdict != "wrong") return;
  row.verdict = "wrong";
  row.reason = row.reason.empty() ? because : row.reason + "; " + because;
}

/// Whether its derivatives are numbers at all; else the witness says why not.
bool can_tell(const FunctionTarget& subject, const Known& known, AuditWitness& witness) {
  if (subject.lost()) add_text(witness, "the value cancels beyond 400 digits");
  return !subject.lost() && !known.nothing();
}

/// <J v, dy> forward against <v, gradient>, v random in this input.
AuditWitness dual_numbers(const FunctionTarget& subject, std::size_t tensor,
                          const FunctionOptions& options) {
  const Known claim = known(subject, tensor);
  const Stream stream(options.seed, "direction " + subject.tensors()[tensor].name);
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
  AuditWitness witness = silent("dual numbers", claim);
  if (!can_tell(subject, claim, witness)) return witness;
  const PathSum forward = subject.directional(tensor, direction);
  if (!isfinite(forward.sum) || !isfinite(forward.paths)) {
    add_text(witness, "<J v, dy> is not finite, and says nothing");
    return witness;
  }
  const Real error = abs(Real(forward.sum - product));
  const Real floor = forward.floor();
  const bool zero = magnitude <= floor && abs(forward.sum) <= floor;
  const Real scale = zero ? forward.paths : std::max(magnitude, Real(abs(forward.sum)));
  witness.digits = digits_of_error(error, scale);
  witness.verdict = witness.digits >= options.digits || error <= floor ? "agrees" : "wrong";
  if (zero && forward.paths > 0) add_text(witness, "0 both ways, in digits of the terms");
  if (witness.verdict == "wrong")
    witness.text = fmt::format("<J v, dy> is {:.9g}, <v, gradient> {:.9g}",
                               forward.sum.convert_to<double>(), product.convert_to<double>());
  return witness;
}

/// How far given numbers are judged: of the largest gradient, or of the largest sum of absolute
/// terms where all gradients are 0 beside theirs.
struct Yardstick {
  Real scale{0};
  bool zero = true;
};

Yardstick yardstick(const Values<PathSum>& sums, const std::vector<bool>& exists) {
  Yardstick result;
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

/// Somebody's doubles against the derivative by dual numbers.
AuditWitness numbers(const FunctionTarget& subject, std::size_t tensor,
                     const std::vector<double>& given, double digits) {
  const Known truth = known(subject, tensor);
  const Values<PathSum>& sums = subject.path_sums(tensor);
  const Yardstick yard = yardstick(sums, truth.exists);
  const Real permitted = yard.scale * pow(Real(10), Real(-digits));
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
  AuditWitness witness = silent("numbers", truth);
  if (!can_tell(subject, truth, witness)) return witness;
  witness.verdict = wrong.empty() ? "agrees" : "wrong";
  witness.digits = digits_of_error(worst, yard.scale);
  witness.ratio = permitted > 0 ? Real(worst / permitted).convert_to<double>() : 0;
  witness.wrong = static_cast<std::int64_t>(wrong.size());
  if (yard.zero && yard.scale > 0) add_text(witness, "the gradient is 0: in digits of its terms");
  std::stable_sort(wrong.begin(), wrong.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  constexpr std::size_t kNamed = 8;
  for (std::size_t i = 0; i < std::min(kNamed, wrong.size()); ++i)
    witness.entries.push_back(wrong[i].second);
  return witness;
}

/// Doubles hold no more than 16 digits, and 0 digits agree with anything.
void check_digits(double digits) {
  constexpr double kMostOfDoubles = 16;
  if (!(digits >= 1 && digits <= kMostOfDoubles))
    throw UsageError(fmt::format("digits of the given gradients: {} is not from 1 to {}", digits,
                                 kMostOfDoubles));
}

}  // namespace

std::vector<AuditRow> audit_function_subject(const FunctionTarget& subject,
                                             const FunctionOptions& options) {
  std::vector<AuditRow> rows = audit_target(subject, options);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (subject.has_own_gradient()) {
      conclude(rows[k], dual_numbers(subject, k, options), "dual numbers contradict the gradient");
      continue;
    }
    const std::string claim = "claimed: the derivative by dual numbers";
    rows[k].reason = rows[k].reason.empty() ? claim : rows[k].reason + "; " + claim;
  }
  return rows;
}

std::vector<AuditRow> audit_given(const FunctionTarget& subject, const FunctionOptions& options,
                                  const GivenGradients& given) {
  check_digits(given.digits);
  std::vector<std::size_t> sizes;
  for (const std::vector<double>& gradient : given.numbers) sizes.push_back(gradient.size());
  subject.check_gradient(sizes, "the gradients that were given");
  std::vector<AuditRow> rows = audit_function_subject(subject, options);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const AuditWitness witness = numbers(subject, k, given.numbers[k], given.digits);
    conclude(rows[k], witness,
             fmt::format("{} of the given numbers miss {} digits", witness.wrong, given.digits));
  }
  return rows;
}

}  // namespace gradproof
