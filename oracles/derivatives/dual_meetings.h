// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "oracles/derivatives/rounded.h"
#include "oracles/derivatives/unit_range.h"

namespace gradproof {

/// The digits to which the two products must agree: 50, less 6 for a chain of a million roundings,
/// less 14 for numbers that cancel inside the pipeline (the variance of numbers far from 0), which
/// the terms of the products do not show.
inline constexpr double kDualDigits = 30;

/// The comparison of two products for one tensor in one unit: <J v, dy>, J v the derivative of the
/// unit's value along v by dual numbers, against <v, J^T dy> by the adjoint. Only derivatives
/// enter: a parameter that is only added to the value may have any size.
struct DualMeeting {
  std::int64_t unit = 0;
  bool finite = false;
  bool zero = true;      ///< both products are 0 within their rounding
  bool resolved = true;  ///< the rounding leaves kDualDigits digits, or both are 0
  double error = 0;      ///< |difference| over the sum of the absolute terms
};

/// One unit of a claim, the tensors whose gradients are compared, and the number of directions.
struct DualQuestion {
  const Claim& claim;
  const Tensors& inputs;
  const CompiledPipeline& compiled;
  const std::vector<Differentiated>& tensors;
  std::int64_t unit = 0;
  std::int64_t directions = 1;

  /// The k-th random direction v, its part in one tensor.
  Values<double> direction(const Differentiated& tensor, std::int64_t k) const {
    return random_direction(tensor, Geometry(claim), unit, static_cast<std::uint64_t>(k + 1));
  }
};

/// A unit's value and adjoint, and its value by dual numbers, in one arithmetic.
template <template <class> class Arithmetic, class T>
struct DualReading {
  explicit DualReading(const DualQuestion& q)
      : plain(q.compiled, q.claim, q.inputs, q.unit), dual(q.compiled, q.claim, q.inputs, q.unit) {
    plain.runner().forward();
    plain.runner().backward();
  }

  void take(const Differentiated& tensor, const Values<double>& v) {
    Values<Dual<T>>& moved = dual.numbers_of(tensor.movable);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i].d = T(v[i]);
  }
  void leave(const Differentiated& tensor) {
    for (Dual<T>& number : dual.numbers_of(tensor.movable)) number.d = T(0);
  }

  ReadUnit<Arithmetic, T> plain;
  ReadUnit<Arithmetic, Dual<T>> dual;
};

/// A bound on how far the rounding of Real may move <J v, dy> and <v, J^T dy>, absolute; infinite
/// or NaN where there is no bound. Needed where a norm cancels nearly all of J v: there Real and
/// Coarse may have the same error, and their difference does not estimate it.
template <template <class> class Arithmetic>
Real rounding_at_most(const DualQuestion& q, const Differentiated& tensor, const Values<double>& v,
                      const Values<Real>& dy) {
  DualReading<Arithmetic, Rounded<Real, CorrectRounding>> read(q);
  read.take(tensor, v);
  Real error(0);
  const auto gradient = read.plain.gradient(tensor);
  for (std::size_t i = 0; i < gradient.size(); ++i) error += gradient[i].error * std::abs(v[i]);
  const auto& y = read.dual.runner().forward();
  for (std::size_t i = 0; i < y.size(); ++i) error += y[i].d.error * abs(dy[i]);
  return error;
}

/// The comparisons in Real, v in one tensor at a time; `wanted` are positions in q.tensors.
template <template <class> class Arithmetic>
std::vector<DualMeeting> real_meetings(const DualQuestion& q,
                                       const std::vector<std::size_t>& wanted) {
  DualReading<Arithmetic, Real> fine(q);
  DualReading<Arithmetic, Coarse> coarse(q);
  const Values<Real>& dy = fine.plain.unit().dy;
  const Real permitted = pow(Real(10), -Real(kDualDigits));
  std::vector<DualMeeting> meetings;
  for (const std::size_t t : wanted) {
    const Differentiated& tensor = q.tensors[t];
    const Values<Real> gradient = fine.plain.gradient(tensor);
    const Values<Coarse> coarse_gradient = coarse.plain.gradient(tensor);
    DualMeeting meeting{q.unit, true, true, true, 0};
    for (std::int64_t k = 0; k < q.directions; ++k) {
      const Values<double> v = q.direction(tensor, k);
      fine.take(tensor, v);
      coarse.take(tensor, v);
      Summed adjoint;
      Summed forward;
      for (std::size_t i = 0; i < gradient.size(); ++i) adjoint.add(v[i] * gradient[i]);
      const Values<Dual<Real>>& y = fine.dual.runner().forward();
      const Values<Dual<Coarse>>& coarse_y = coarse.dual.runner().forward();
      Real least = apart(gradient, coarse_gradient, v);
      for (std::size_t i = 0; i < y.size(); ++i) {
        forward.add(y[i].d * dy[i]);
        least += abs((y[i].d - Real(coarse_y[i].d)) * dy[i]);
      }
      least = rounding(least);
      meeting.finite = meeting.finite && adjoint.finite() && forward.finite();
      const Real size = std::max(adjoint.magnitude, forward.magnitude);
      if (!meeting.finite || size <= least) continue;
      meeting.zero = false;
      meeting.resolved = meeting.resolved && least <= size * permitted;
      const Real apart_by = abs(adjoint.sum - forward.sum);
      if (apart_by > size * permitted &&
          !(apart_by > rounding_at_most<Arithmetic>(q, tensor, v, dy)))
        meeting.resolved = false;
      meeting.error = std::max(meeting.error, nearest(Real(apart_by / size)));
    }
    fine.leave(tensor);
    coarse.leave(tensor);
    meetings.push_back(meeting);
  }
  return meetings;
}

/// The comparisons in Quick, v in all tensors at once: <J v, dy> is then the sum of <v, J^T dy>
/// over the tensors. The difference of the two counts in full against each tensor and relative to
/// the terms of that tensor alone. Errors of two tensors do not cancel, since v is random, and
/// large terms hide no small ones. By position in q.tensors; empty where the two do not agree to
/// kDualDigits digits, are not finite, not resolved or 0, or where under- or overflow may have
/// decided.
template <template <class> class Arithmetic>
std::vector<std::optional<DualMeeting>> quick_meetings(const DualQuestion& q) {
  DualReading<Arithmetic, Quick> fine(q);
  DualReading<Arithmetic, Rough> rough(q);
  const Values<Quick>& dy = fine.plain.unit().dy;
  const double permitted = std::pow(10.0, -kDualDigits);
  const double lost = most_lost(q.compiled, fine.plain, 1);
  std::vector<std::optional<DualMeeting>> meetings(q.tensors.size(),
                                                   DualMeeting{q.unit, true, false, true, 0});
  for (std::int64_t k = 0; k < q.directions; ++k) {
    Quick off(0);
    double noise = 0;
    std::vector<double> sizes;
    for (const Differentiated& tensor : q.tensors) {
      const Values<double> v = q.direction(tensor, k);
      fine.take(tensor, v);
      rough.take(tensor, v);
      const Values<Quick> gradient = fine.plain.gradient(tensor);
      noise += apart(gradient, rough.plain.gradient(tensor), v);
      double size = 0;
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        const Quick term = Quick(v[i]) * gradient[i];
        off += term;
        size += std::abs(term.hi);
      }
      sizes.push_back(size);
    }
    const Values<Dual<Quick>>& y = fine.dual.runner().forward();
    const Values<Dual<Rough>>& rough_y = rough.dual.runner().forward();
    for (std::size_t i = 0; i < y.size(); ++i) {
      off = off - y[i].d * dy[i];
      noise += std::abs(difference(y[i].d, rough_y[i].d) * dy[i].hi);
    }
    const double least = quick_rounding(noise) + lost;
    for (std::size_t t = 0; t < sizes.size(); ++t) {
      const double error = std::abs(off.hi) / sizes[t];
      // A NaN makes every comparison false, and so no agreement.
      const bool plain = sizes[t] > 0 && least <= sizes[t] * permitted && error <= permitted;
      if (!plain) meetings[t].reset();
      if (meetings[t]) meetings[t]->error = std::max(meetings[t]->error, error);
    }
  }
  return meetings;
}

/// quick_meetings(), and real_meetings() of the tensors that they leave; by position in q.tensors.
template <template <class> class Arithmetic>
std::vector<DualMeeting> unit_meetings(const DualQuestion& q) {
  const std::vector<std::optional<DualMeeting>> quick = quick_meetings<Arithmetic>(q);
  std::vector<std::size_t> left;
  for (std::size_t t = 0; t < quick.size(); ++t)
    if (!quick[t]) left.push_back(t);
  std::vector<DualMeeting> again;
  if (!left.empty()) again = real_meetings<Arithmetic>(q, left);
  std::vector<DualMeeting> meetings;
  for (std::size_t t = 0, k = 0; t < quick.size(); ++t)
    meetings.push_back(quick[t] ? *quick[t] : again[k++]);
  return meetings;
}

}  // namespace gradproof
