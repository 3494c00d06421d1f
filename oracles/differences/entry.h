// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "oracles/arithmetic/real.h"
#include "oracles/differences/precision.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// A gradient entry in numbers of T: double, which is enough to certify most entries, or Real.
template <class T>
struct EntryOf {
  std::int64_t index = 0;  ///< row-major in its tensor
  T claimed{0};            ///< the gradient under audit
  T fine{0};               ///< the central difference D(h)
  T error{0};              ///< D(h) - claimed, rounded once
  T self_error{0};         ///< D(h) - D(2h), rounded once
  T jump{0};               ///< slope right of x minus slope left of x; 0 where L is smooth
  bool unchanged = false;  ///< no move changed the value at all
};
using Entry = EntryOf<Real>;

/// The wanted digits as a tolerance, 10^-digits relative to ErrorScalesOf::scale, and whether every
/// number is moved directly.
struct Aim {
  double tolerance = 1e-20;
  bool direct = false;
};

/// The sizes by which the entries of one unit are judged (docs/audit.md). All are absolute, in the
/// unit of a gradient.
template <class T>
struct ErrorScalesOf {
  T scale{0};                   ///< scale_of() the entries: the size errors are relative to
  double typical_gradient = 0;  ///< PerturbedLoss::typical_change over the width of a move
  double noise = 0;             ///< no estimate of the error of D(h) counts as less than this
  double rounding = 0;          ///< the part of `noise` that is one rounding of L over h
  T permitted{0};  ///< PerturbedLoss::rounding: a bound on how far rounding alone may part D(h)
                   ///< and a right claim
};
using ErrorScales = ErrorScalesOf<Real>;

/// Whether |D(h) - D(2h)|, `self_error`, estimates the error of D(h) at all:
///
///   self_error <= 2^-6 max(|D(h)|, typical_gradient)   or   self_error <= 2^6 rounding.
///
/// Where h is far above the width over which L changes, D grows like h^-q as h shrinks (q = 1 for a
/// bounded L). Then D(h) - D(2h) = (1 - 2^-q) D(h) does not bound the error of D(h).
bool is_informative(double self_error, double size, double typical_gradient, double rounding);
/// The largest error of D(h) that its estimate admits: 2^6 estimate.
double far_from(double estimate);

/// max over the entries of min(|claimed|, |D(h)|). The minimum keeps one claim that is far too
/// large, or one difference across a kink, from hiding the errors of other entries.
template <class T>
T scale_of(const Values<EntryOf<T>>& entries);

/// The error scales that the entries of a unit share. `rounding` is one rounding of L over h; the
/// noise is at least the median |D(h) - D(2h)|, and that of the sample, `self_error` of the scale.
template <class T>
ErrorScalesOf<T> error_scales_of(const Values<EntryOf<T>>& entries, const T& scale,
                                 double typical_gradient, double rounding, double self_error);

/// The error scales of an entry that affects its own element only. They do not depend on the other
/// elements, which may be 1e38 or NaN. `noise`: one rounding of its own element over h.
template <class T>
ErrorScalesOf<T> error_scales_of_element(const ErrorScalesOf<T>& scales, const EntryOf<T>& entry,
                                         double noise);

/// What judge() decides of one entry. unresolved: this arithmetic at this step cannot decide it.
enum class EntryVerdict { certified, zero, wrong, unresolved };

struct EntryJudgement {
  EntryVerdict verdict = EntryVerdict::unresolved;
  double error = 0;  ///< |D(h) - claimed| / scale; zero: max(|claimed|, |D(h)|) / typical_gradient
  double estimate = 0;  ///< max(|D(h) - D(2h)|, noise) / scale; zero: noise / typical_gradient
};

/// The acceptance rule. With s = scales.scale, g = scales.typical_gradient,
/// estimate = max(|D(h) - D(2h)|, noise), error = |D(h) - claimed|:
///
///   certified   error <= 10^-digits s
///   zero        |claimed|, |D(h)| <= min(nothing g, 2^6 estimate + permitted), and
///               noise, permitted <= 10^-digits max(g, s)
///   wrong       error > 2^6 estimate + permitted, not certified, and is_informative()
///   unresolved  otherwise; not finite; or kinked(), unless the entry is zero and beside_nothing()
///
/// `nothing` is Precision::nothing. Where claim = D(h) = D(2h) and the jump is 0, the entry is
/// certified (zero where s = 0 too). Where all of them are 0 and noise or permitted exceed their
/// limit, a gradient may hide there: before the last arithmetic the entry is then unresolved.
template <class T>
EntryJudgement judge(const EntryOf<T>& entry, const ErrorScalesOf<T>& scales, const Aim& aim,
                     const Precision& precision);

/// The judgement that holds whatever the typical gradient is, which is slow to compute; where it
/// depends on it, unresolved. `scales.typical_gradient` is not looked at.
EntryJudgement judge_by_size(const EntryOf<double>& entry, ErrorScalesOf<double> scales,
                             const Aim& aim, const Precision& precision);

/// Whether max(|claimed|, |D(h)|, |jump|) <= nothing typical_gradient (Precision::nothing).
template <class T>
bool beside_nothing(const EntryOf<T>& entry, const ErrorScalesOf<T>& scales,
                    const Precision& precision);

/// Whether the claims of two arithmetics agree to 10 digits: then the claim is no rounding error.
bool is_reproduced(const Real& before, const Real& claimed);

/// Whether |D(h) - D(2h)| <= 1e-6 |D(h)|: then the slope exists, and a claim that is not finite is
/// wrong.
bool defined_slope(const Entry& entry);

/// Whether |jump| > 2^10 10^-digits scale and |jump| > 2^4 estimate: more than the extrapolation of
/// the slopes of a smooth L may leave.
template <class T>
bool kinked(const EntryOf<T>& entry, const ErrorScalesOf<T>& scales, const Aim& aim);

/// The correct digits of a relative error: min(50, -log10(error)).
double digits_of(double error);

}  // namespace gradproof
