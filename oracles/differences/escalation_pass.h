// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/escalation.h"
#include "oracles/differences/unit_pass.h"

namespace gradproof {

/// An entry that a pass has not decided, and the reason.
struct OpenEntry {
  std::int64_t place = 0;
  Entry entry;
  std::string reason;
};

/// One pass of the escalation: decides open entries of one unit in one arithmetic.
class EscalationPass {
 public:
  EscalationPass(LossCache& cache, std::size_t tensor, const UnresolvedEntries& open,
                 AuditArithmetic arithmetic, const Aim& aim, EntryTally& tally)
      : cache_(cache),
        tensor_(tensor),
        unit_(open.places.unit),
        arithmetic_(arithmetic),
        precision_(precision_of(arithmetic)),
        aim_(aim),
        tally_(tally),
        losses_(cache.at(arithmetic, unit_)),
        unmoved_(unmoved_of(losses_, tensor, cache.target())),
        scale_(open.scale),
        confirming_(open.confirming) {}

  /// Judges the entries at these places and returns the places that stay open; in the last
  /// arithmetic none does.
  std::vector<std::int64_t> settle(const std::vector<std::int64_t>& places);
  const Real& scale() const { return scale_; }

 private:
  std::vector<std::int64_t> without_irregular(const std::vector<std::int64_t>& places);
  std::vector<std::int64_t> defined(const std::vector<std::int64_t>& places);
  void sweep_some(const std::vector<std::int64_t>& places, std::size_t most);
  void settle_swept(std::int64_t place, const Sweep& sweep);
  std::optional<StepChoice> undenied(std::int64_t place, const Sweep& sweep,
                                     std::optional<StepChoice> choice) const;
  Method method() const { return aim_.direct ? Method::direct : losses_.quickest(tensor_); }
  Values<Entry> differenced(const std::vector<std::int64_t>& places, const StepChoice& choice);
  ErrorScales error_scales_for(const Values<Entry>& entries, const StepChoice& choice) const;
  std::vector<OpenEntry> settled_together(const std::vector<std::int64_t>& places,
                                          const StepChoice& choice);
  void doubt_kinks(std::vector<OpenEntry>& left, const StepChoice& choice);
  std::string why_open(std::int64_t place, const Entry& entry, const ErrorScales& scales);
  EntryJudgement judged(std::int64_t place, const Entry& entry, ErrorScales scales,
                        const StepChoice& choice) const;
  bool settled_one(std::int64_t place, const Entry& entry, const ErrorScales& scales,
                   const StepChoice& choice);
  void leave(std::int64_t place, const Entry& entry, const std::string& reason);
  double noise_of(std::int64_t place, int log2_step) const {
    return unmoved_.noise_of(precision_, log2_step, place, scale_.convert_to<double>());
  }
  bool reproduced(std::int64_t place, const Real& claimed);
  /// Whether no move changes the value although the claim is a number, not the rounding of 0.
  bool saturated(std::int64_t place, const Entry& entry) {
    return entry.unchanged && entry.claimed != 0 && reproduced(place, entry.claimed);
  }
  int coarsest(std::int64_t place, int from);

  LossCache& cache_;
  std::size_t tensor_;
  std::int64_t unit_;
  AuditArithmetic arithmetic_;
  Precision precision_;
  const Aim& aim_;
  EntryTally& tally_;
  PerturbedLoss& losses_;
  Unmoved unmoved_;
  Real scale_;
  bool confirming_;
  std::vector<Sweep> sweeps_;
  std::vector<std::int64_t> open_;
};

}  // namespace gradproof
