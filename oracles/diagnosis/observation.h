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

}  // namespace gradproof::diagnosis
