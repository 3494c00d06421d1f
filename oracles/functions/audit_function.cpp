// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"
#include "core/tensor/philox.h"
#include "oracles/differences/entry.h"
#include "oracles/functions/function_target.h"

namespace gradproof {
namespace {

double digits_of_error(const Real& error, const Real& scale) {
  if (error == 0) return digits_of(0);
  return error <= scale ? digits_of(Real(error / scale).convert_to<double>()) : 0;
}

void add_text(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : "; ") + more;
}

/// The witnesses on the gradient of one input, where it exists: not on a kink, not outside a
/// domain.
class FunctionWitness {
 public:
  FunctionWitness(const FunctionTarget& target, std::size_t tensor)
      : target_(target), tensor_(tensor), gradient_(target.facts().gradient[tensor]) {
    const auto quick = target.losses(AuditArithmetic::double_double);
    quick->take_unit(0);
    // A distance below the next double, so that only a kink on x itself is found.
    const double near = std::ldexp(1, quick->log2_scale(tensor) - 60);
    for (std::size_t i = 0; i < gradient_.size(); ++i)
      if (quick->irregular(tensor, static_cast<std::int64_t>(i), near) == Irregularity::none)
        places_.push_back(i);
  }

  AuditWitness dual_numbers(const FunctionOptions& options) const {
    AuditWitness witness = silent(Witness::dual_numbers);
    if (!has_derivative()) return witness;
    const Stream stream(options.seed, "direction " + target_.tensors()[tensor_].name);
    std::vector<double> v(gradient_.size());
    Real product(0);
    Real magnitude(0);
    for (const std::size_t i : places_) {
      v[i] = stream.normal(i);
      const Real term(v[i] * gradient_[i]);
      product += term;
      magnitude += abs(term);
    }
    const PathSum forward = target_.directional(tensor_, v);
    if (!isfinite(forward.sum) || !isfinite(forward.paths)) {
      add_text(witness.text, "<J v, dy> is not finite, and says nothing");
      return witness;
    }
    const Real error = abs(Real(forward.sum - product));
    const Real floor = target_.facts().floor(forward);
    const bool zero = magnitude <= floor && abs(forward.sum) <= floor;
    witness.digits =
        digits_of_error(error, zero ? forward.paths : std::max(magnitude, Real(abs(forward.sum))));
    const bool agrees = witness.digits >= options.digits || error <= floor;
    witness.verdict = agrees ? WitnessVerdict::agrees : WitnessVerdict::wrong;
    if (zero && forward.paths > 0) add_text(witness.text, "0 both ways, in digits of the terms");
    if (!agrees)
      witness.text = fmt::format("<J v, dy> is {:.9g}, <v, gradient> {:.9g}",
                                 forward.sum.convert_to<double>(), product.convert_to<double>());
    return witness;
  }

  /// Compares given doubles with the derivative by dual numbers. Errors are relative to the largest
  /// gradient of the tensor; where all gradients are 0 within their rounding error, to the largest
  /// sum of absolute terms.
  AuditWitness numbers(const std::vector<double>& given, double digits) const {
    AuditWitness witness = silent(Witness::numbers);
    if (!has_derivative()) return witness;
    const Values<PathSum>& sums = target_.facts().path_sums[tensor_];
    Real largest(0);
    Real paths(0);
    bool zero = true;
    for (const std::size_t i : places_) {
      largest = std::max(largest, Real(abs(sums[i].sum)));
      paths = std::max(paths, sums[i].paths);
      zero = zero && abs(sums[i].sum) <= target_.facts().floor(sums[i]);
    }
    const Real scale = zero ? paths : largest;
    const Real permitted = scale * pow(Real(10), Real(-digits));
    std::vector<std::pair<Real, std::size_t>> wrong;
    Real worst(0);
    for (const std::size_t i : places_) {
      const Real error = std::isfinite(given[i]) ? Real(abs(given[i] - gradient_[i]))
                                                 : Real(std::numeric_limits<double>::infinity());
      worst = std::max(worst, error);
      if (!(error <= std::max(permitted, target_.facts().floor(sums[i]))))
        wrong.emplace_back(error, i);
    }
    witness.verdict = wrong.empty() ? WitnessVerdict::agrees : WitnessVerdict::wrong;
    witness.digits = digits_of_error(worst, scale);
    witness.ratio = permitted > 0 ? Real(worst / permitted).convert_to<double>() : 0;
    witness.wrong = std::ssize(wrong);
    if (zero && scale > 0) add_text(witness.text, "the gradient is 0: in digits of its terms");
    std::ranges::stable_sort(wrong, std::ranges::greater(), &std::pair<Real, std::size_t>::first);
    constexpr std::size_t kNamed = 8;
    for (std::size_t k = 0; k < std::min(kNamed, wrong.size()); ++k)
      witness.entries.push_back(static_cast<std::int64_t>(wrong[k].second));
    return witness;
  }

 private:
  bool has_derivative() const { return !target_.facts().lost() && !places_.empty(); }

  /// A witness without a verdict yet. Its text says which derivatives there are not.
  AuditWitness silent(Witness name) const {
    AuditWitness witness;
    witness.name = name;
    if (places_.size() < gradient_.size())
      witness.text = fmt::format("{} entries on a kink or outside the domain left out",
                                 gradient_.size() - places_.size());
    if (target_.facts().lost()) add_text(witness.text, "the value cancels beyond 400 digits");
    return witness;
  }

  const FunctionTarget& target_;
  std::size_t tensor_;
  const Values<Digits400>& gradient_;  ///< the audited one
  std::vector<std::size_t> places_;    ///< where it exists
};

void conclude(AuditRow& row, AuditWitness witness, const std::string& because) {
  if (witness.verdict == WitnessVerdict::wrong) {
    row.verdict = Outcome::wrong;
    add_text(row.reason, because);
  }
  row.witnesses.push_back(std::move(witness));
}

/// Throws UsageError unless 1 <= digits <= 16: a double holds no more, and 0 digits always agree.
void check_digits(double digits) {
  constexpr double kMostOfDoubles = 16;
  if (!(digits >= 1 && digits <= kMostOfDoubles))
    throw UsageError(fmt::format("digits of the given gradients: {} is not from 1 to {}", digits,
                                 kMostOfDoubles));
}

}  // namespace

AuditWitness dual_numbers_witness(const FunctionTarget& target, std::size_t tensor,
                                  const FunctionOptions& options) {
  return FunctionWitness(target, tensor).dual_numbers(options);
}

std::vector<AuditRow> audit_function_target(const FunctionTarget& target,
                                            const FunctionOptions& options,
                                            const GivenGradients* given) {
  if (given != nullptr) {
    check_digits(given->digits);
    std::vector<Values<Digits400>> gradient;
    for (const auto& numbers : given->numbers)
      gradient.emplace_back(numbers.begin(), numbers.end());
    target.check_gradient(gradient, "the gradients that were given");
  }
  std::vector<AuditRow> rows = audit_target(target, options);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (target.facts().own_gradient) {
      conclude(rows[k], dual_numbers_witness(target, k, options),
               "dual numbers contradict the gradient");
      continue;
    }
    add_text(rows[k].reason, "claimed: the derivative by dual numbers");
    if (given == nullptr) continue;
    const AuditWitness witness =
        FunctionWitness(target, k).numbers(given->numbers[k], given->digits);
    conclude(rows[k], witness,
             fmt::format("{} of the given numbers miss {} digits", witness.wrong, given->digits));
  }
  return rows;
}

}  // namespace gradproof
