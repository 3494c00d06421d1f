// SPDX-License-Identifier: Apache-2.0
#include "oracles/derivatives/derivative_witnesses.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include <fmt/format.h>

#include "oracles/derivatives/dual_numbers.h"
#include "oracles/derivatives/second_order.h"
#include "oracles/differences/entry.h"

namespace gradproof {
namespace {

constexpr std::int64_t kMostNamed = 8;
const double kDualError = std::pow(10.0, -kDualDigits);
/// Half of the 350 digits by which the rounding of 400 digits is below that of 50.
constexpr double kShrunk = 1e-175;
constexpr const char* kNoElements = "x has no elements";
constexpr const char* kNotFinite = "not finite";

AuditWitness silent(Witness name, const std::string& text) {
  AuditWitness witness;
  witness.name = name;
  witness.text = text;
  return witness;
}

/// A witness that says how many are wrong; `compared` names what was compared, and where.
AuditWitness judged(Witness name, std::int64_t wrong, double digits, const std::string& compared,
                    bool zero) {
  AuditWitness witness;
  witness.name = name;
  witness.verdict = wrong > 0 ? WitnessVerdict::wrong : WitnessVerdict::agrees;
  witness.wrong = wrong;
  witness.digits = digits;
  witness.text = compared + (zero ? ": 0 everywhere, both ways" : "");
  return witness;
}

std::string unit_noun(const Geometry& geometry, std::int64_t count) {
  return geometry.is_grouped() ? (count == 1 ? "row of a group" : "rows of groups")
                               : (count == 1 ? "column" : "columns");
}

bool finite(const SecondOrderEntry& e) { return isfinite(e.product) && isfinite(e.difference); }

double digits_of(const Real& error) { return gradproof::digits_of(error.convert_to<double>()); }

Real to_digits(double digits) { return pow(Real(10), -Real(digits)); }

/// Why none of the meetings says anything; `lost` of them are lost in rounding.
AuditWitness silent_dual(const Geometry& geometry, std::int64_t lost, bool any) {
  const bool large = geometry.unit_size() > kDualUnit;
  return silent(
      Witness::dual_numbers,
      lost > 0 ? fmt::format("50 and 400 digits differ in {} {}", lost, unit_noun(geometry, lost))
      : any    ? kNotFinite
      : large  ? fmt::format("units of {} elements", geometry.unit_size())
               : kNoElements);
}

/// The entries that were measured, the one whose two ways are farthest apart first, and the scales
/// that their distances are judged by.
class SecondOrderMeasure {
 public:
  explicit SecondOrderMeasure(const std::vector<SecondOrderEntry>& entries) {
    std::ranges::copy_if(entries, std::back_inserter(measured_), finite);
    std::ranges::stable_sort(measured_, std::ranges::greater(), apart);
    for (const SecondOrderEntry& e : measured_) {
      resolution_ = std::max(resolution_, e.resolution);
      self_error_ = std::max(self_error_, e.self_error);
    }
    largest_ = largest_of(measured_);
  }

  const std::vector<SecondOrderEntry>& measured() const { return measured_; }
  /// True if no entry is larger than the resolution of the differences.
  bool is_zero() const { return largest_ <= resolution_; }
  double worst_digits() const { return digits_of(relative(apart(measured_.front()))); }
  double own_digits() const { return digits_of(relative(self_error_)); }

  bool is_wrong(const SecondOrderEntry& e) const {
    // A step far above the width over which M changes says nothing.
    if (!is_informative(extended(e.self_error), extended(Real(abs(e.difference))), 0,
                        extended(e.resolution)))
      return false;
    const Real error = relative(apart(e));
    return error > to_digits(kSecondOrderDigits) && error > 8 * relative(self_error_) &&
           apart(e) > e.resolution;
  }

 private:
  static Real apart(const SecondOrderEntry& e) { return abs(e.product - e.difference); }
  Real relative(const Real& error) const { return is_zero() ? Real(0) : Real(error / largest_); }

  std::vector<SecondOrderEntry> measured_;
  Real largest_{0};
  Real resolution_{0};
  Real self_error_{0};
};

}  // namespace

bool DualMeeting::agrees() const { return finite && size >= kNoUnderflow && error <= kDualError; }

void DualMeeting::take(const Real& difference, const Real& of_terms) {
  finite = finite && isfinite(difference) && isfinite(of_terms);
  if (!finite || of_terms == 0) return;
  size = std::max(size, of_terms);
  error = std::max(error, Real(abs(difference) / of_terms).convert_to<double>());
}

DualMeeting settled(const DualMeeting& in_50_digits, DualMeeting in_400_digits) {
  DualMeeting& result = in_400_digits;
  const Real& before = in_50_digits.size;
  result.zero = result.size <= before * kShrunk;
  if (result.zero) result.error = 0;
  result.resolved = !(result.error > kDualError) || abs(result.size - before) <= before / 2;
  return result;
}

template std::vector<std::vector<DualMeeting>> dual_meetings<Plain>(const PipelineTarget&);

AuditWitness dual_witness(const PipelineTarget& target, const std::vector<DualMeeting>& meetings) {
  const Geometry& geometry = target.geometry();
  std::int64_t resolved = 0;
  std::int64_t lost = 0;
  std::int64_t wrong = 0;
  bool zero = true;
  DualMeeting worst;
  for (const DualMeeting& meeting : meetings) {
    if (!meeting.finite) continue;
    if (!meeting.resolved) {
      ++lost;
      continue;
    }
    // A product does not say which of its unit's entries is wrong: units are counted, none is
    // named.
    if (meeting.error > kDualError) ++wrong;
    if (resolved++ == 0 || meeting.error > worst.error) worst = meeting;
    zero = zero && meeting.zero;
  }
  if (resolved == 0) return silent_dual(geometry, lost, !meetings.empty());
  AuditWitness witness =
      judged(Witness::dual_numbers, wrong, gradproof::digits_of(worst.error),
             fmt::format("<J v, dy> against <v, J^T dy> in {} of {} {}", resolved, geometry.units(),
                         unit_noun(geometry, geometry.units())),
             zero);
  if (wrong > 0)
    witness.text +=
        fmt::format("; wrong in {} {}, worst {}", wrong, unit_noun(geometry, wrong), worst.unit);
  if (lost > 0) witness.text += fmt::format("; {} more are lost in rounding", lost);
  const std::int64_t infinite = std::ssize(meetings) - resolved - lost;
  if (infinite > 0) witness.text += fmt::format("; {} more are not finite", infinite);
  return witness;
}

std::vector<SampledUnit> sampled_units(const PipelineTarget& target,
                                       const std::vector<Moved>& moved, std::int64_t wanted) {
  const Geometry& geometry = target.geometry();
  if (geometry.unit_size() < 1 || geometry.unit_size() > kSecondOrderUnit) return {};
  std::map<std::int64_t, SampledUnit> by_unit;
  for (std::size_t m = 0; m < moved.size(); ++m) {
    // Entries are numbered unit by unit, so that a sample lies in as many units as possible; one
    // random stream for all tensors puts their samples into the same units.
    const std::int64_t each = places(target, moved[m].tensor);
    for (const std::int64_t k : spread_over(geometry.units() * each, wanted, "x")) {
      by_unit[k / each].unit = k / each;
      by_unit[k / each].places.emplace_back(m, k % each);
    }
  }
  const auto samples = std::views::values(by_unit);
  return {samples.begin(), samples.end()};
}

Real largest_of(const std::vector<SecondOrderEntry>& entries) {
  Real largest(0);
  for (const SecondOrderEntry& e : entries)
    if (finite(e)) largest = std::max({largest, Real(abs(e.product)), Real(abs(e.difference))});
  return largest;
}

template std::vector<AuditWitness> second_order_witnesses<Plain>(const PipelineTarget&,
                                                                 const std::vector<Moved>&);

AuditWitness second_order_witness(const PipelineTarget& target, const Moved& moved,
                                  const std::vector<SecondOrderEntry>& entries) {
  const Geometry& geometry = target.geometry();
  const Witness name = moved.cotangent ? Witness::second_order_dy : Witness::second_order;
  if (geometry.unit_size() > kSecondOrderUnit)
    return silent(name, fmt::format("units of {} elements: an entry needs {} of them",
                                    geometry.unit_size(), kSecondOrderEvaluations));
  const SecondOrderMeasure measure(entries);
  const std::vector<SecondOrderEntry>& measured = measure.measured();
  if (measured.empty()) return silent(name, entries.empty() ? kNoElements : kNotFinite);
  std::int64_t wrong = 0;
  std::vector<std::int64_t> named;
  for (const SecondOrderEntry& e : measured)
    if (measure.is_wrong(e) && ++wrong <= kMostNamed) named.push_back(e.entry);
  // A number that affects several units has a term in each of them.
  const std::int64_t all = geometry.units() * places(target, moved.tensor);
  const std::string of = all == numel(target.tensors()[moved.tensor].shape) ? "entries" : "terms";
  AuditWitness witness =
      judged(name, wrong, measure.worst_digits(),
             fmt::format("{} against differences of <c, gradients>, {} of {} {}, step 2^{}",
                         moved.cotangent ? "J c forward" : "H c forward over reverse",
                         measured.size(), all, of, measured.front().log2_step),
             measure.is_zero());
  witness.entries = named;
  if (wrong == 0 && witness.digits < kSecondOrderDigits) {
    witness.verdict = WitnessVerdict::silent;
    witness.text =
        fmt::format("the differences agree with themselves to {:.0f} digits", measure.own_digits());
    return witness;
  }
  if (wrong > 0) witness.text += fmt::format("; wrong in {} {}", wrong, of);
  if (measured.size() < entries.size())
    witness.text += fmt::format("; {} more are not finite", entries.size() - measured.size());
  return witness;
}

std::map<std::string, std::vector<AuditWitness>> derivative_witnesses(const Claim& claim,
                                                                      const Tensors& inputs) {
  const PipelineTarget target(claim, inputs);
  const auto gradient_of = [&](std::size_t t) { return "d_" + target.tensors()[t].name; };
  const auto meetings = dual_meetings<Plain>(target);
  std::map<std::string, std::vector<AuditWitness>> result;
  std::vector<Moved> moved;
  for (std::size_t t = 0; t < meetings.size(); ++t) {
    result[gradient_of(t)].push_back(dual_witness(target, meetings[t]));
    moved.push_back({t, false});
    if (target.movable(t).input) moved.push_back({t, true});
  }
  if (claim.differentiable < 2) {
    for (auto& [gradient, witnesses] : result)
      witnesses.push_back(silent(Witness::second_order, "declared differentiable once"));
    return result;
  }
  const auto second = second_order_witnesses<Plain>(target, moved);
  for (std::size_t m = 0; m < moved.size(); ++m)
    result[gradient_of(moved[m].tensor)].push_back(second[m]);
  return result;
}

}  // namespace gradproof
