// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "oracles/diagnosis/replay.h"

namespace gradproof::diagnosis {

/// One entry of the gradient beside its truth.
struct ComparedEntry {
  std::int64_t index = 0;  ///< row-major in the whole tensor
  double got = 0;
  LongDouble truth = 0;
  double bound = 0;
  double ratio = 0;  ///< |got - truth|/bound where it is wrong; infinite for a wrong class
  bool wrong = false;
};
using ComparedEntries = std::vector<ComparedEntry>;

/// The claim with one gradient as its only judged tensor.
Claim narrowed(Claim claim, const std::string& gradient);

/// Truths and bounds of all entries of the gradient.
Answer answer_of(const Question& question);

/// The entry with this index.
ComparedEntry compared(const Question& question, const Answer& answer, std::int64_t index);

/// Where an entry is in a replay: its unit, and its element there.
struct EntryPlace {
  std::size_t unit = 0;
  std::size_t element = 0;
};

/// Some entries of the gradient, and the part of the claim that they are computed from.
struct Observation {
  Target target;
  Replay replay;
  /// In the order of predict(): a matrix's unit by unit, a parameter's by column.
  ComparedEntries entries;
  std::vector<EntryPlace> places;  ///< by entry; empty where an entry is a sum over units
  PrefixSums row_sums;             ///< of a parameter, where it has one norm at most
  Numbers right;                   ///< the gradient that the replay computes without a change
  bool sound = false;  ///< `right` agrees with the truth, so that changed passes can be trusted
};

/// All entries that the part decides. For a gradient of one number the part is the whole claim.
Observation observation_of(const Question& question, const Answer& answer, const Part& part);

/// One entry as an explanation predicts it, and how far a kernel with that fault may be off.
struct PredictedEntry {
  LongDouble value = 0;
  double tolerance = 0;
};
using Prediction = std::vector<PredictedEntry>;

/// The prediction of an edit. Its tolerance is the bound, times the quotient of the errors of the
/// changed and of the right formula where that is above 1, plus a rounding to the stored type.
Prediction prediction_of(const Observation& observation, const Edit& edit);

/// Predicts entry i as factor(i) times its truth, within `widened` times its bound.
Prediction scaled_truth(const Observation& observation,
                        const std::function<LongDouble(std::size_t)>& factor, double widened = 1);

/// How well predicted entries agree with those of the kernel, over one or more observations.
///
/// A prediction explains the wrong entries if
///   wrong - explained <= max(wrong/256, wrong >= 16 ? 1 : 0),
/// and holds, as the k-th that was tested, if it is no chance hit:
///   sum over the explained of log2(|got - truth| / tolerance) >= 10 + log2(k).
struct Fit {
  std::int64_t wrong = 0;         ///< entries over their bound or of the wrong class
  std::int64_t explained = 0;     ///< wrong entries within the tolerance of their prediction
  std::int64_t contradicted = 0;  ///< right entries beyond the tolerance of their prediction
  double worst = 0;               ///< largest error/tolerance of an explained entry
  double bits = 0;                ///< the sum above; of one entry at most 40

  /// Takes entries beside their predictions; an empty prediction explains none.
  void take(const ComparedEntries& entries, const Prediction& prediction);
  /// Adds the fit to other entries.
  void add(const Fit& other);
  bool explains() const;
  bool holds(std::int64_t tested) const;

 private:
  void take_wrong(const ComparedEntry& entry, const PredictedEntry& predicted);
};

/// The bits that the best of `tested` explanations needs: a chance hit then has a probability of
/// 1/1024.
double required_bits(std::int64_t tested);

/// The most bits that an explanation of the entry could have; the gradient is of this type.
double most_bits(const ComparedEntry& entry, DType stored);

}  // namespace gradproof::diagnosis
