// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/second_order.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace gradproof {
namespace {

/// The digits of the arithmetic; no agreement counts as more.
constexpr double kMostDigits = 50;
constexpr std::size_t kMostNamed = 8;

bool finite(const SecondOrderEntry& e) { return isfinite(e.product) && isfinite(e.difference); }

Real largest_of(const std::vector<SecondOrderEntry>& entries) {
  Real largest(0);
  for (const SecondOrderEntry& e : entries)
    largest = std::max({largest, Real(abs(e.product)), Real(abs(e.difference))});
  return largest;
}

Real bound_of(const SecondOrderEntry& e) { return e.product_bound + e.difference_bound; }

/// Errors relative to the largest entry. Where all entries are 0 within their rounding, they are 0.
struct Errors {
  std::vector<Real> against;  ///< |product - difference|, by entry
  Real self_error{0};         ///< largest |D(h) - D(2h)|
  Real bound{0};              ///< largest bound on the rounding of an entry
  bool zero = true;           ///< no entry is larger than that bound
};

Errors errors_of(const std::vector<SecondOrderEntry>& entries) {
  Errors errors;
  const Real largest = largest_of(entries);
  for (const SecondOrderEntry& e : entries) errors.bound = std::max(errors.bound, bound_of(e));
  errors.zero = isfinite(errors.bound) && largest <= errors.bound;
  errors.bound = errors.zero ? Real(0) : Real(errors.bound / largest);
  for (const SecondOrderEntry& e : entries) {
    errors.against.push_back(errors.zero ? Real(0) : Real(abs(e.product - e.difference) / largest));
    if (!errors.zero) errors.self_error = std::max(errors.self_error, Real(e.self_error / largest));
  }
  return errors;
}

double digits_of(const Real& error) {
  if (error <= 0) return kMostDigits;
  return std::min(kMostDigits, -Real(log10(error)).convert_to<double>());
}

AuditWitness silent(AuditWitness witness, const std::string& text) {
  witness.verdict = WitnessVerdict::silent;
  witness.text = text;
  return witness;
}

}  // namespace

std::map<std::int64_t, std::vector<SampledPlaces>> sampled_places(const PipelineTarget& target,
                                                                  const std::vector<Moved>& moved) {
  const Geometry& geometry = target.geometry();
  std::map<std::int64_t, std::vector<SampledPlaces>> result;
  const std::int64_t size = geometry.unit_size();
  if (size < 1 || size > kSecondOrderUnit) return result;
  const std::int64_t wanted =
      std::max(kSecondOrderEntries, kSecondOrderElements / (kSecondOrderEvaluations * size));
  for (std::size_t m = 0; m < moved.size(); ++m) {
    // Entries are numbered unit by unit, so that a sample lies in as many units as possible; one
    // random stream for all tensors puts their samples into the same units.
    const std::int64_t each = places(target, moved[m].tensor);
    std::map<std::int64_t, std::vector<std::int64_t>> by_unit;
    for (const std::int64_t k : spread_over(geometry.units() * each, wanted, "x"))
      by_unit[k / each].push_back(k % each);
    for (auto& [unit, its] : by_unit) result[unit].emplace_back(m, std::move(its));
  }
  return result;
}

bool plainly_agrees(const AuditWitness& witness, const std::vector<SecondOrderEntry>& entries) {
  const Real permitted = largest_of(entries) * pow(Real(10), -Real(kSecondOrderDigits));
  return witness.verdict == WitnessVerdict::agrees &&
         std::all_of(entries.begin(), entries.end(), [&](const SecondOrderEntry& e) {
           return finite(e) && bound_of(e) <= permitted;
         });
}

template std::vector<AuditWitness> second_order_witnesses<Plain>(const PipelineTarget&,
                                                                 const std::vector<Moved>&);

AuditWitness second_order_witness(const PipelineTarget& target, const Moved& moved,
                                  const std::vector<SecondOrderEntry>& entries) {
  AuditWitness witness;
  witness.name = moved.cotangent ? Witness::second_order_dy : Witness::second_order;
  const Geometry& geometry = target.geometry();
  if (geometry.unit_size() > kSecondOrderUnit)
    return silent(witness, fmt::format("units of {} elements: an entry needs {} of them",
                                       geometry.unit_size(), kSecondOrderEvaluations));
  std::vector<SecondOrderEntry> measured;
  std::copy_if(entries.begin(), entries.end(), std::back_inserter(measured), finite);
  if (measured.empty())
    return silent(witness, entries.empty() ? "x has no elements" : "not finite");
  const Errors errors = errors_of(measured);
  std::vector<std::size_t> order(measured.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return errors.against[a] > errors.against[b];
  });
  const Real permitted = pow(Real(10), -Real(kSecondOrderDigits));
  if (errors.bound > permitted)
    return silent(witness, fmt::format("rounding leaves the differences {:.0f} of {:.0f} digits",
                                       std::max(0.0, digits_of(errors.bound)), kSecondOrderDigits));
  for (const std::size_t k : order) {
    if (!(errors.against[k] > permitted && errors.against[k] > 8 * errors.self_error)) continue;
    if (!(abs(measured[k].product - measured[k].difference) > bound_of(measured[k]))) continue;
    ++witness.wrong;
    if (witness.entries.size() < kMostNamed) witness.entries.push_back(measured[k].entry);
  }
  witness.digits = digits_of(errors.against[order.front()]);
  if (witness.wrong == 0 && witness.digits < kSecondOrderDigits)
    return silent(witness, fmt::format("the differences agree with themselves to {:.0f} digits",
                                       digits_of(errors.self_error)));
  witness.verdict = witness.wrong > 0 ? WitnessVerdict::wrong : WitnessVerdict::agrees;
  // A number that affects several units has a term in each of them.
  const std::int64_t all = geometry.units() * places(target, moved.tensor);
  const std::string of = all == numel(target.tensors()[moved.tensor].shape) ? "entries" : "terms";
  witness.text = fmt::format("{} against differences of <c, gradients>, {} of {} {}, step 2^{}{}",
                             moved.cotangent ? "J c forward" : "H c forward over reverse",
                             measured.size(), all, of, measured.front().log2_step,
                             errors.zero ? ": 0 everywhere, both ways" : "");
  if (witness.wrong > 0) witness.text += fmt::format("; wrong in {} {}", witness.wrong, of);
  if (measured.size() < entries.size())
    witness.text += fmt::format("; {} more are not finite", entries.size() - measured.size());
  return witness;
}

}  // namespace gradproof
