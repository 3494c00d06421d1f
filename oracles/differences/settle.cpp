// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "oracles/differences/unit_audit.h"

namespace gradproof {
namespace {

using step_rules::kLastChoice;

/// A claim that was computed in 50 digits is, below this part of a typical gradient, the rounding
/// of 0: 2^40 roundings of 2^-166. Where no move changes L at all, it is no error.
constexpr double kGivenNothing = 1e-38;

/// Entries that packed arithmetics call wrong and 400 digits confirm, of each unit.
constexpr std::size_t kConfirmed = 2;

class Settling {
 public:
  Settling(const TensorTask& task, const UnitAtRest& unit, Extended scale, EntryTally& tally)
      : task_(task),
        unit_(unit),
        tally_(tally),
        scale_(scale),
        // A method that disagreed with direct moves on the sample is not used again.
        method_(task.aim.direct || !task.selection.remark.empty()
                    ? Method::direct
                    : unit.losses().quickest(task.tensor)) {}

  /// Counts the entries at these places, and returns how many are wrong.
  std::int64_t count(const std::vector<std::int64_t>& places) {
    const std::vector<std::int64_t> regular = defined(places);
    if (regular.empty()) return 0;
    const Values<Entry> entries = differenced(unit_, kLastChoice, method_, regular);
    scale_ = std::max(scale_, scale_of(entries));
    const ErrorScales common = error_scales_of(entries, scale_, unit_.typical_gradient(),
                                               unit_.noise(kLastChoice.log2_step), 0);
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const Extended noise = unit_.noise_of(kLastChoice.log2_step, regular[k], scale_);
      const ErrorScales scales = unit_.alone() ? common.of_element(entries[k], noise) : common;
      wrong += count_one(regular[k], entries[k], scales) == EntryVerdict::wrong ? 1 : 0;
    }
    return wrong;
  }

 private:
  /// Drops the places whose own part of the loss is not finite before the move.
  std::vector<std::int64_t> defined(const std::vector<std::int64_t>& places) {
    if (!(unit_.alone() || task_.summed) || places.empty()) return places;
    const Values<Real> at_rest =
        unit_.losses().changes(task_.tensor, places, {0}, Method::direct)[0];
    std::vector<std::int64_t> result;
    for (std::size_t k = 0; k < places.size(); ++k)
      if (isfinite(at_rest[k]))
        result.push_back(places[k]);
      else
        leave(places[k], OpenReason::not_finite);
    return result;
  }

  EntryVerdict count_one(std::int64_t place, const Entry& entry, const ErrorScales& scales) {
    // Where |D(h) - D(2h)| <= 1e-6 |D(h)| the slope exists, and a claim that is not finite is
    // wrong.
    constexpr double kDefined = 1e-6;
    EntryJudgement judgement = judge(entry, scales, task_.aim, unit_.precision());
    const bool undefined = !std::isfinite(entry.claimed);
    if (undefined && std::abs(entry.self_error) <= std::abs(entry.fine) * kDefined)
      judgement.verdict = EntryVerdict::wrong;
    const bool claims_a_change = entry.unchanged && entry.claimed != 0 && !undefined;
    if (claims_a_change && judgement.verdict == EntryVerdict::wrong &&
        std::abs(entry.claimed) <= kGivenNothing * scales.typical_gradient)
      judgement = {EntryVerdict::zero, 0, 0};
    else if (claims_a_change && judgement.verdict == EntryVerdict::zero &&
             unit_.is_reproduced(place))
      judgement.verdict = EntryVerdict::unresolved;
    if (judgement.verdict == EntryVerdict::unresolved)
      leave(place, why_open(place, entry, scales));
    else
      tally_.count(entry, judgement);
    return judgement.verdict;
  }

  OpenReason why_open(std::int64_t place, const Entry& entry, const ErrorScales& scales) const {
    // Where 400 digits cannot hold number + h, there is no difference.
    const double move = std::ldexp(1, kLastChoice.log2_step + unit_.log2_scale());
    if (std::isfinite(entry.claimed) && !unit_.losses().moves(task_.tensor, place, move))
      return OpenReason::cancellation;
    if (!std::isfinite(entry.fine) || !std::isfinite(entry.self_error)) return OpenReason::domain;
    if (!std::isfinite(entry.claimed)) return OpenReason::not_finite;
    if (kinked(entry, scales, task_.aim)) return OpenReason::kink;
    if (entry.unchanged) return OpenReason::saturation;
    const bool informative = is_informative(std::abs(entry.self_error), std::abs(entry.fine),
                                            scales.typical_gradient, scales.rounding);
    return informative ? OpenReason::cancellation : OpenReason::too_fine;
  }

  void leave(std::int64_t place, OpenReason reason) {
    tally_.count_inconclusive(unit_.entry(place), reason);
  }

  const TensorTask& task_;
  const UnitAtRest& unit_;
  EntryTally& tally_;
  Extended scale_;
  Method method_;
};

}  // namespace

void settle(const TensorTask& task, const UnitAtRest& unit, const OpenEntries& left,
            EntryTally& tally) {
  if (!task.allows(unit)) {
    for (const auto* places : {&left.open, &left.wrong})
      for (const std::int64_t place : *places)
        tally.count_inconclusive(unit.entry(place), OpenReason::not_finite);
    return;
  }
  Settling settling(task, unit, left.scale, tally);
  settling.count(left.open);
  const std::size_t asked = std::min(kConfirmed, left.wrong.size());
  const auto middle = left.wrong.begin() + static_cast<std::ptrdiff_t>(asked);
  const std::int64_t wrong = settling.count({left.wrong.begin(), middle});
  if (wrong < static_cast<std::int64_t>(asked))
    settling.count({middle, left.wrong.end()});
  else
    for (std::size_t k = asked; k < left.wrong.size(); ++k)
      tally.count(left.entries[k], left.judgements[k]);
}

}  // namespace gradproof
