// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <numeric>

#include "core/compare/audit_row.h"
#include "core/parallel.h"
#include "oracles/derivatives/read_unit.h"

namespace gradproof {

/// The elements of x in the compared units, roughly. A unit is compared whole or not at all.
inline constexpr std::int64_t kDualElements = 1 << 10;
/// At least this many units are compared, if the claim has them: one may hold a NaN.
inline constexpr std::int64_t kDualUnits = 2;
/// Elements of the largest unit that is compared.
inline constexpr std::int64_t kDualUnit = 1 << 18;
/// The directions for each unit; fewer, at least one, if kDualElements does not allow as many.
inline constexpr std::int64_t kDualDirections = 3;
/// The digits to which the two products must agree: 50, less 6 for a chain of a million roundings,
/// less 14 for numbers that cancel inside the pipeline (the variance of numbers far from 0), which
/// the terms of the products do not show.
inline constexpr double kDualDigits = 30;

/// The comparison of two products for one tensor in one unit: <J v, dy>, J v the derivative of the
/// unit's value along v by dual numbers, against <v, J^T dy> by the adjoint. Only derivatives
/// enter: a parameter that is only added to the value may have any size.
struct DualMeeting {
  std::int64_t unit = 0;
  bool finite = true;
  bool zero = false;     ///< both products are 0 but for rounding
  bool resolved = true;  ///< false: nothing is known
  Real size{0};          ///< the sum of the absolute terms, of the direction where it is largest
  double error = 0;      ///< |difference| over the size, of the worst direction

  /// True in any arithmetic if both products are finite, too large for underflow, and the same to
  /// kDualDigits digits.
  bool agrees() const;
  /// Takes one direction: the difference of the products, and the sum of the absolute terms.
  void take(const Real& difference, const Real& of_terms);
};

/// The result of 50 and 400 digits together. Terms that are 0 but for rounding shrink with it, so
/// that they are 350 digits smaller in 400 digits. A difference of the products counts only if the
/// sum of absolute terms is the same in both to a factor of 2.
DualMeeting settled(const DualMeeting& in_50_digits, DualMeeting in_400_digits);

/// The comparisons of one unit in numbers N (ReadUnit), for groups of tensors, by group and
/// tensor. v lies in all tensors of a group at once: <J v, dy> is then the sum of <v, J^T dy> over
/// these tensors. The difference of the two counts in full against each tensor and relative to the
/// terms of that tensor alone. Errors of two tensors do not cancel, since v is random, and large
/// terms hide no small ones. An error does not say which of several tensors is wrong.
template <template <class> class Arithmetic, class N>
std::vector<DualMeeting> meetings_of_unit(const PipelineTarget& target, std::int64_t unit,
                                          const std::vector<std::vector<std::size_t>>& groups,
                                          std::int64_t directions) {
  ReadUnit<Arithmetic, N> plain(target, unit);
  plain.value();
  const std::vector<Values<N>> gradients = plain.adjoint();
  ReadUnit<Arithmetic, Dual<N>> dual(target, unit);
  std::vector<DualMeeting> result;
  for (const std::vector<std::size_t>& tensors : groups) {
    std::vector<DualMeeting> meetings(tensors.size(), DualMeeting{unit});
    for (std::int64_t k = 0; k < directions; ++k) {
      N difference(0);
      const auto add = [&](const N& a, const N& b, N& size) {
        const N term = a * b;
        difference += term;
        size += absolute(term);
      };
      Values<N> sizes(tensors.size());
      for (std::size_t t = 0; t < tensors.size(); ++t) {
        const Values<double> v =
            random_direction(target, tensors[t], unit, static_cast<std::uint64_t>(k + 1));
        dual.move_along(tensors[t], v);
        for (std::size_t i = 0; i < v.size(); ++i) add(N(v[i]), gradients[tensors[t]][i], sizes[t]);
      }
      N forward(0);
      const Values<Dual<N>>& y = dual.value();
      for (std::size_t i = 0; i < y.size(); ++i) add(-y[i].d, plain.dy()[i], forward);
      if (tensors.size() == 1) sizes[0] = sizes[0] < forward ? forward : sizes[0];
      for (std::size_t t = 0; t < tensors.size(); ++t)
        meetings[t].take(real_of(difference), real_of(sizes[t]));
    }
    for (const std::size_t tensor : tensors)
      dual.move_along(tensor, Values<double>(gradients[tensor].size()));
    result.insert(result.end(), meetings.begin(), meetings.end());
  }
  return result;
}

/// The comparisons of a claim, by tensor and then by unit: as many units as kDualElements allows,
/// spread evenly. In triple-doubles v lies in all tensors at once; the tensors that do not agree
/// are compared one at a time in 50 and in 400 digits.
template <template <class> class Arithmetic>
std::vector<std::vector<DualMeeting>> dual_meetings(const PipelineTarget& target) {
  const Geometry& geometry = target.geometry();
  std::vector<std::vector<DualMeeting>> meetings(target.tensors().size());
  if (geometry.unit_size() < 1 || geometry.unit_size() > kDualUnit) return meetings;
  const std::int64_t fitting = kDualElements / geometry.unit_size();
  const std::int64_t taken = std::min(geometry.units(), std::max(kDualUnits, fitting));
  const std::int64_t directions =
      std::clamp<std::int64_t>(fitting / std::max<std::int64_t>(1, taken), 1, kDualDirections);
  const std::vector<std::int64_t> units = spread_over(geometry.units(), taken, "dual numbers");
  for (std::vector<DualMeeting>& of_tensor : meetings) of_tensor.resize(units.size());
  std::vector<std::size_t> all(meetings.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for_each_index(std::ssize(units), [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    const auto first =
        meetings_of_unit<Arithmetic, TripleDouble>(target, units[at], {all}, directions);
    std::vector<std::vector<std::size_t>> left;
    for (const std::size_t t : all) {
      meetings[t][at] = first[t];
      if (!first[t].agrees()) left.push_back({t});
    }
    if (left.empty()) return;
    const auto again = meetings_of_unit<Arithmetic, Real>(target, units[at], left, directions);
    const auto last = meetings_of_unit<Arithmetic, Digits400>(target, units[at], left, directions);
    for (std::size_t m = 0; m < left.size(); ++m)
      meetings[left[m].front()][at] = settled(again[m], last[m]);
  });
  return meetings;
}
extern template std::vector<std::vector<DualMeeting>> dual_meetings<Plain>(const PipelineTarget&);

/// The witness "dual numbers" of one tensor, from its comparisons.
AuditWitness dual_witness(const PipelineTarget& target, const std::vector<DualMeeting>& meetings);

}  // namespace gradproof
