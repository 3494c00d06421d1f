// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/differences/unit_audit.h"

namespace gradproof {

/// An entry that a pass has not decided, and the reason.
struct OpenEntry {
  std::int64_t place = 0;
  Entry entry;
  OpenReason reason = OpenReason::cancellation;
};

/// One pass of the escalation: decides open entries of one unit in one arithmetic. Each of the
/// first entries gets its own sweep and step; the others share the step that these sweeps choose
/// together. The entries of a sum have the step of the sample.
class EscalationPass {
 public:
  /// `scale`: ErrorScales::scale of the unit, as far as it is known. `confirming`: the arithmetic
  /// before judged the entries wrong, and this one confirms it.
  EscalationPass(const TensorTask& task, const UnitAtRest& unit, const Real& scale, bool confirming,
                 EntryTally& tally)
      : task_(task),
        unit_(unit),
        last_(is_last(unit.arithmetic())),
        confirming_(confirming),
        // A method that disagreed with direct moves on the sample is not used again.
        method_(task.aim.direct || !task.steps.at(task.arithmetic).remark.empty()
                    ? Method::direct
                    : unit.losses().quickest(task.tensor)),
        tally_(tally),
        scale_(scale) {}

  /// Judges the entries at these places and returns the places that stay open; in the last
  /// arithmetic none does.
  std::vector<std::int64_t> settle(const std::vector<std::int64_t>& places);
  const Real& scale() const { return scale_; }

 private:
  std::vector<std::int64_t> without_irregular(const std::vector<std::int64_t>& places);
  std::vector<std::int64_t> defined(const std::vector<std::int64_t>& places);
  void sweep_some(const std::vector<std::int64_t>& places, std::size_t most);
  void settle_swept(const Sweep& sweep);
  std::optional<StepChoice> undenied(const Sweep& sweep, std::optional<StepChoice> choice) const;
  Values<Entry> differenced(const std::vector<std::int64_t>& places,
                            const StepChoice& choice) const;
  std::vector<OpenEntry> settled_together(const std::vector<std::int64_t>& places,
                                          const StepChoice& choice, double self_error);
  void leave_together(const std::vector<std::int64_t>& places, const StepChoice& choice,
                      double self_error);
  void doubt_kinks(std::vector<OpenEntry>& left, const StepChoice& choice) const;
  OpenReason why_open(std::int64_t place, const Entry& entry, const ErrorScales& scales) const;
  EntryJudgement judged(std::int64_t place, const Entry& entry, ErrorScales scales,
                        const StepChoice& choice) const;
  bool settled_one(std::int64_t place, const Entry& entry, const ErrorScales& scales,
                   const StepChoice& choice);
  void leave(std::int64_t place, OpenReason reason);
  double noise_of(std::int64_t place, int log2_step) const {
    return unit_.noise_of(log2_step, place, scale_.convert_to<double>());
  }
  std::string irregular(std::int64_t place, int log2_step) const {
    return unit_.losses().irregular(task_.tensor, place,
                                    std::ldexp(1, log2_step + unit_.log2_scale()));
  }
  int coarsest(std::int64_t place, int from) const;

  const TensorTask& task_;
  UnitAtRest unit_;
  bool last_;
  bool confirming_;
  Method method_;
  EntryTally& tally_;
  Real scale_;
  std::vector<Sweep> sweeps_;
  std::vector<std::int64_t> open_;
};

}  // namespace gradproof
