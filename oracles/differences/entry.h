// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>

#include "oracles/arithmetic/real.h"
#include "oracles/differences/arithmetic.h"
#include "oracles/pipeline/unit.h"

namespace gradproof {

/// A figure of an entry, rounded once: a verdict depends on few of its digits, but gradients of
/// numbers such as 1e300 leave the range of doubles.
using Extended = long double;
static_assert(std::numeric_limits<Extended>::max_exponent >= 16384);

inline Extended extended(const Digits400& value) { return value.convert_to<Extended>(); }

/// The differences of one gradient entry.
struct Entry {
  std::int64_t place = 0;   ///< in its unit (PerturbedLoss)
  std::int64_t index = 0;   ///< row-major in its tensor
  Extended claimed = 0;     ///< the gradient under audit
  Extended fine = 0;        ///< the central difference D(h)
  Extended error = 0;       ///< D(h) - claimed, rounded once
  Extended self_error = 0;  ///< D(h) - D(2h), rounded once
  Extended jump = 0;        ///< slope right of x minus slope left of x; 0 where L is smooth
  bool unchanged = false;   ///< no move changed the value at all
};

/// The sizes by which an entry is judged (docs/audit.md). All are absolute, in the unit of a
/// gradient.
struct ErrorScales {
  Extended scale = 0;             ///< scale_of() the entries: the size errors are relative to
  Extended typical_gradient = 0;  ///< PerturbedLoss::typical_change over the width of a move
  Extended noise = 0;             ///< no estimate of the error of D(h) counts as less than this
  Extended rounding = 0;          ///< the part of `noise` that is one rounding of L over h
};

/// True if |D(h) - D(2h)|, `self_error`, estimates the error of D(h) at all:
///
///   self_error <= 2^-6 max(|D(h)|, typical_gradient)   or   self_error <= 2^6 rounding.
///
/// If h is far above the width over which L changes, D grows like h^-q as h shrinks (q = 1 for a
/// bounded L). Then D(h) - D(2h) = (1 - 2^-q) D(h) does not bound the error of D(h). judge() also
/// accepts |D(2h)| >= 3/2 |D(h)|, because D then vanishes as h shrinks.
bool is_informative(Extended self_error, Extended size, Extended typical_gradient,
                    Extended rounding);
/// The largest error of D(h) that its estimate admits: 2^6 estimate.
inline Extended far_from(Extended estimate) { return 0x1p6L * estimate; }

/// max over the entries of min(|claimed|, |D(h)|), where that is finite. The minimum keeps one
/// claim that is far too large, or one difference across a kink, from hiding the errors of other
/// entries.
Extended scale_of(const Entry& entry);
Extended scale_of(const Values<Entry>& entries);

/// The scales that the entries of a unit share: the noise is at least the median |D(h) - D(2h)|,
/// and at least that of the sample, `self_error` times `scale`.
ErrorScales error_scales_of(const Values<Entry>& entries, Extended scale, double self_error);

/// The verdict of judge() on an entry; unresolved if this arithmetic at this step cannot decide.
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
///   zero        |claimed|, |D(h)| <= min(nothing g, 2^6 estimate),
///               and noise <= 10^-digits max(g, s)
///   wrong       error > 2^6 estimate, not certified, and is_informative()
///   unresolved  otherwise; not finite; or kinked(), unless zero with |jump| <= nothing g
///
/// `tolerance` is 10^-digits, `nothing` is Precision::nothing. Where claim = D(h) = D(2h) and the
/// jump is 0, the entry is certified (zero where s = 0 too). Where all of them are 0 and the noise
/// exceeds its limit, a gradient may hide there: before the last arithmetic the entry is then
/// unresolved.
EntryJudgement judge(const Entry& entry, const ErrorScales& scales, double tolerance,
                     const Precision& precision);

/// The judgement that holds for any typical gradient, which is slow to compute; unresolved if the
/// judgement depends on that gradient. `scales.typical_gradient` is not read.
EntryJudgement judge_by_size(const Entry& entry, ErrorScales scales, double tolerance,
                             const Precision& precision);

/// True if |jump| > 2^10 10^-digits scale and |jump| > 2^4 estimate: the extrapolation of the
/// slopes of a smooth L leaves no such jump.
bool kinked(const Entry& entry, const ErrorScales& scales, double tolerance);

/// The correct digits of a relative error: min(50, -log10(error)).
double digits_of(double error);

}  // namespace gradproof
