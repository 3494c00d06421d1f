// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "oracles/arithmetic/real.h"
#include "oracles/differences/precision.h"
#include "oracles/pipeline/stage.h"

namespace gradproof {

/// A gradient entry, or the part of it that one unit adds.
struct Entry {
  std::int64_t index = 0;  ///< row-major in its tensor
  Real claimed;            ///< the gradient under audit
  Real fine;               ///< the central difference D(h)
  Real coarse;             ///< the same difference at twice the step, D(2h)
  Real jump;               ///< slope right of x minus slope left of x; 0 where L is smooth
  bool unchanged = false;  ///< no move changed the value at all

  /// Adds the part that another unit contributes to the same entry.
  void add(const Entry& other);
};

/// The sizes by which the entries of one unit are judged (docs/audit.md); those of one block where
/// an entry affects several units. All are absolute, in the unit of a gradient.
struct ErrorScales {
  Real scale;                   ///< scale_of() the entries: the size errors are relative to
  double typical_gradient = 0;  ///< PerturbedLoss::typical_change over the width of a move
  double noise = 0;             ///< no estimate of the error of D(h) counts as less than this
  double rounding = 0;          ///< the part of `noise` that is one rounding of L over h
  Real permitted{0};  ///< PerturbedLoss::rounding: a bound on how far rounding alone may part D(h)
                      ///< and a right claim
};

/// Whether |D(h) - D(2h)|, `self_error`, estimates the error of D(h) at all:
///
///   self_error <= 2^-6 max(|D(h)|, typical_gradient)   or   self_error <= 2^6 rounding.
///
/// Where h is far above the width over which L changes, D grows like h^-q as h shrinks (q = 1 for a
/// bounded L). Then D(h) - D(2h) = (1 - 2^-q) D(h) does not bound the error of D(h).
bool is_informative(double self_error, double size, double typical_gradient, double rounding);
bool is_informative(const Entry& entry, const ErrorScales& scales);
/// The largest error of D(h) that its estimate admits: 2^6 estimate.
double far_from(double estimate);

/// max over the entries of min(|claimed|, |D(h)|). The minimum keeps one claim that is far too
/// large, or one difference across a kink, from hiding the errors of other entries.
Real scale_of(const Values<Entry>& entries);

/// The median of |D(h) - D(2h)| over the entries. The two differences of one entry may agree by
/// chance; those of half the entries do not.
double typical_estimate(const Values<Entry>& entries);
/// The median of |estimate|; all estimates must be finite.
double typical(std::vector<double> estimates);

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
EntryJudgement judge(const Entry& entry, const ErrorScales& scales, const Aim& aim,
                     const Precision& precision);

/// Whether max(|claimed|, |D(h)|, |jump|) <= nothing typical_gradient (Precision::nothing).
bool beside_nothing(const Entry& entry, const ErrorScales& scales, const Precision& precision);

/// The figures of ErrorScales that certify_in_double() needs, in doubles.
struct ErrorScalesInDouble {
  double scale = 0;
  double noise = 0;
  double tolerance = 0;            ///< 10^-digits, relative to `scale`
  bool small_may_be_zero = false;  ///< Precision::nothing is not 0
};
/// judge() in doubles, where the result is `certified` and does not depend on the typical gradient;
/// otherwise nothing, and judge() must be asked. `error` is D(h) - claimed.
std::optional<EntryJudgement> certify_in_double(double fine, double error, double self_error,
                                                double jump, const ErrorScalesInDouble& scales);
std::optional<EntryJudgement> certify_in_double(const Entry& entry,
                                                const ErrorScalesInDouble& scales);

/// Whether the claims of two arithmetics agree to 10 digits: then the claim is no rounding error.
bool is_reproduced(const Real& before, const Real& claimed);

/// Whether |D(h) - D(2h)| <= 1e-6 |D(h)|: then the slope exists, and a claim that is not finite is
/// wrong.
bool defined_slope(const Entry& entry);

/// Whether |jump| > 2^10 10^-digits scale and |jump| > 2^4 estimate: more than the extrapolation of
/// the slopes of a smooth L may leave.
bool kinked(const Entry& entry, const ErrorScales& scales, const Aim& aim);

/// The correct digits of a relative error: min(50, -log10(error)).
double digits_of(double error);

}  // namespace gradproof
