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
  Real claimed;
  Real fine;               ///< D(h)
  Real coarse;             ///< D(2h)
  Real jump;               ///< of the slopes, 0 where L is smooth
  bool unchanged = false;  ///< no move changed the value at all

  /// Parts of two units of one entry.
  void add(const Entry& other);
};

/// What entries are measured by, see docs/audit.md: those of a unit, or of a block where an entry
/// is felt in several units.
struct ErrorScales {
  Real scale;  ///< largest gradient on which the claim and the difference agree to exist
  double typical_gradient =
      0;                ///< what gradients there are like, PerturbedLoss::felt over the scale
  double noise = 0;     ///< of D(h) by rounding: no estimate counts as less
  double rounding = 0;  ///< the part of it that is one rounding of L over h
  Real permitted{0};  ///< PerturbedLoss::rounding: D(h) and a right claim differ by so much at most
};

/// Whether |D(h) - D(2h)| estimates the error of D(h) at all: it is small beside D(h) or beside
/// what gradients there are like, or no more than roundings of L. Where h is far above the width
/// over which L changes D grows like h^-q as h shrinks, and D(h) - D(2h) = (1 - 2^-q) D(h) says
/// nothing of where that ends: a bounded L has q = 1.
bool is_informative(double self_error, double size, double typical_gradient, double rounding);
bool is_informative(const Entry& entry, const ErrorScales& scales);
/// How many of its estimates D(h) may be off, at most.
double far_from(double estimate);

/// max over the entries of min(|claimed|, |D(h)|): a claim that is far too large, or a difference
/// across a kink, hides no other entry.
Real scale_of(const Values<Entry>& entries);

/// The median of |D(h) - D(2h)|: two differences of one entry may agree by chance, those of half
/// the entries do not.
double typical_estimate(const Values<Entry>& entries);
/// The same of D(h) - D(2h), all finite.
double typical(std::vector<double> estimates);

/// zero: both claim and difference vanish beside the natural gradient, and are not told from 0 by
/// the difference's own estimate, which is too small to hide a gradient. wrong: only where the
/// difference tells(). unresolved: this arithmetic and step cannot tell.
enum class EntryVerdict { certified, zero, wrong, unresolved };

struct EntryJudgement {
  EntryVerdict verdict = EntryVerdict::unresolved;
  double error = 0;     ///< |D(h) - claimed| over the scale
  double estimate = 0;  ///< |D(h) - D(2h)|, or the noise if that is larger, over the scale
};

EntryJudgement judge(const Entry& entry, const ErrorScales& scales, const Aim& aim,
                     const Precision& precision);

/// Whether claim, difference and the jump of slopes all vanish beside the natural gradient.
bool beside_nothing(const Entry& entry, const ErrorScales& scales, const Precision& precision);

/// judge() in doubles where it certifies and needs no natural gradient for it; nothing elsewhere.
/// The ground's figures by themselves: `scale`, `noise`, and the aim's tolerance.
struct ErrorScalesInDouble {
  double scale = 0;
  double noise = 0;
  double tolerance = 0;
  bool small_may_be_zero = false;  ///< Precision::nothing is not 0
};
std::optional<EntryJudgement> certify_in_double(double fine, double error, double self_error,
                                                double jump, const ErrorScalesInDouble& scales);
std::optional<EntryJudgement> certify_in_double(const Entry& entry,
                                                const ErrorScalesInDouble& scales);

/// Whether two arithmetics agree on a claim so well that it is no rounding error of either.
bool is_reproduced(const Real& before, const Real& claimed);

/// Whether the differences agree with themselves so well that a claim that is not finite is wrong.
bool defined_slope(const Entry& entry);

/// Whether the slopes differ by more than the extrapolation of smooth ones may leave.
bool kinked(const Entry& entry, const ErrorScales& scales, const Aim& aim);

/// -log10, at most 50.
double digits_of(double error);

}  // namespace gradproof
