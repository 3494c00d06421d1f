// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <numeric>
#include <optional>

#include "core/compare/audit_row.h"
#include "core/parallel.h"
#include "oracles/derivatives/read_unit.h"

namespace gradproof {

/// Elements of x in the units that are compared, roughly. A unit is compared whole or not at all.
inline constexpr std::int64_t kDualElements = 1 << 10;
/// At least this many units, where the claim has them: one of them may hold a NaN.
inline constexpr std::int64_t kDualUnits = 2;
/// Elements of the largest unit that is compared.
inline constexpr std::int64_t kDualUnit = 1 << 18;
/// Directions for each unit, fewer where kDualElements does not allow as many; at least one.
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
  bool zero = true;      ///< both products are 0 within their rounding
  bool resolved = true;  ///< the rounding leaves kDualDigits digits, or both are 0
  double error = 0;      ///< |difference| over the sum of the absolute terms

  /// Both are known to kDualDigits digits, are not 0, and agree.
  bool agrees() const;
  /// Takes one direction: the difference of the products, a bound on its rounding, and the sum of
  /// the absolute terms.
  void take(const Real& difference, const Real& bound, const Real& size);
};

/// One unit of a claim in numbers N that bound their rounding (rounded.h): its value and adjoint,
/// and its value by dual numbers.
template <template <class> class Arithmetic, class N>
class DualUnit {
 public:
  DualUnit(const PipelineTarget& target, std::int64_t unit)
      : target_(target), unit_(unit), plain_(target, unit), dual_(target, unit) {
    plain_.forward_and_backward();
  }

  /// The comparisons for some tensors, v in all of them at once: <J v, dy> is then the sum of
  /// <v, J^T dy> over these tensors. The difference of the two counts in full against each tensor
  /// and relative to the terms of that tensor alone. Errors of two tensors do not cancel, since v
  /// is random, and large terms hide no small ones. An error does not say which of several tensors
  /// is wrong.
  std::vector<DualMeeting> meetings(const std::vector<std::size_t>& tensors,
                                    std::int64_t directions) {
    std::vector<DualMeeting> result(tensors.size(), DualMeeting{unit_});
    for (std::int64_t k = 0; k < directions; ++k) {
      N off(0);
      Values<Error> sizes;
      for (const std::size_t tensor : tensors) sizes.push_back(add_adjoint(off, tensor, k));
      const Error forward = subtract_forward(off);
      if (tensors.size() == 1) sizes[0] = std::max(sizes[0], forward);
      for (std::size_t t = 0; t < tensors.size(); ++t)
        result[t].take(real_of(off.value), 2 * real_of(off.error), real_of(sizes[t]));
    }
    for (const std::size_t tensor : tensors)
      for (Dual<N>& number : dual_.numbers_of(tensor)) number.d = N(0);
    return result;
  }

 private:
  using Error = typename N::Error;

  /// Moves a tensor along its part of the k-th random direction v; adds <v, J^T dy> and returns the
  /// sum of its absolute terms.
  Error add_adjoint(N& sum, std::size_t tensor, std::int64_t k) {
    const Values<double> v =
        random_direction(target_, tensor, unit_, static_cast<std::uint64_t>(k + 1));
    Values<Dual<N>>& moved = dual_.numbers_of(tensor);
    const Values<N> gradient = plain_.gradient(tensor);
    Error size(0);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      moved[i].d = N(v[i]);
      const N term = N(v[i]) * gradient[i];
      sum += term;
      size += magnitude(term.value);
    }
    return size;
  }
  /// Subtracts <J v, dy> and returns the sum of its absolute terms.
  Error subtract_forward(N& sum) {
    const Values<Dual<N>>& y = dual_.runner().forward();
    const Values<N>& dy = plain_.unit().dy;
    Error size(0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const N term = y[i].d * dy[i];
      sum += -term;
      size += magnitude(term.value);
    }
    return size;
  }

  const PipelineTarget& target_;
  std::int64_t unit_;
  ReadUnit<Arithmetic, N> plain_;
  ReadUnit<Arithmetic, Dual<N>> dual_;
};

/// The comparisons of one unit, by tensor: in Quick, v in all tensors at once, and in Sure, v in
/// one tensor at a time, where those do not agree.
template <template <class> class Arithmetic>
std::vector<DualMeeting> unit_meetings(const PipelineTarget& target, std::int64_t unit,
                                       std::int64_t directions) {
  std::vector<std::size_t> all(target.tensors().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<DualMeeting> result =
      DualUnit<Arithmetic, Quick>(target, unit).meetings(all, directions);
  std::optional<DualUnit<Arithmetic, Sure>> sure;
  for (const std::size_t tensor : all) {
    if (result[tensor].agrees()) continue;
    if (!sure) sure.emplace(target, unit);
    result[tensor] = sure->meetings({tensor}, directions).front();
  }
  return result;
}

/// The comparisons of a claim, by tensor and then by unit: as many units as kDualElements allows,
/// spread evenly.
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
  for_each_index(static_cast<std::int64_t>(units.size()), [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    const auto unit = unit_meetings<Arithmetic>(target, units[at], directions);
    for (std::size_t t = 0; t < unit.size(); ++t) meetings[t][at] = unit[t];
  });
  return meetings;
}

extern template std::vector<std::vector<DualMeeting>> dual_meetings<Plain>(const PipelineTarget&);

/// The witness "dual numbers" of one tensor, from its comparisons.
AuditWitness dual_witness(const PipelineTarget& target, const std::vector<DualMeeting>& meetings);

}  // namespace gradproof
