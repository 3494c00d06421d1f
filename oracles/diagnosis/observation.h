// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "oracles/diagnosis/replay.h"

namespace gradproof::diagnosis {

/// Some entries of the gradient with their truths and bounds, and the part of the claim that they
/// are computed from. A gradient of one number is computed from all elements.
struct Observation {
  explicit Observation(ReplayedPipeline of_part)
      : target(target_of(*of_part.question)), replayed(std::move(of_part)) {}

  Target target;
  ReplayedPipeline replayed;
  /// A gradient of one number is the sum over these parts; `replayed` then holds no numbers.
  std::vector<ReplayedPipeline> tiles;
  std::vector<std::int64_t> index;  ///< row-major indices of the entries in the whole tensor
  std::vector<double> got;
  std::vector<LongDouble> truth;
  std::vector<double> bound;
  std::vector<double> ratio;  ///< |got - truth|/bound; infinite for a wrong class
  std::vector<unsigned char> wrong;
  Matrix right;        ///< the gradient that the replay computes with unchanged rules
  bool sound = false;  ///< `right` agrees with the truth, so that changed rules can be trusted
};

/// Truths and bounds of all entries of the gradient.
Answer answer_of(const Question& question);

/// The entries first to last - 1. The replayed pipeline has rows and columns, but no numbers.
Observation entries_of(const Question& question, const Answer& answer, std::int64_t first,
                       std::int64_t last);

/// The entries of a part. The right cotangents of all nodes are kept; with `no_more`, only those
/// that the gradient needs.
Observation observation_of(const Question& question, const Answer& answer, const Part& part,
                           bool no_more = false);

/// The entry of a gradient of one number; the parts together are the whole claim.
Observation observation_of_sum(const Question& question, const Answer& answer,
                               const std::vector<Part>& parts);

/// Some columns of an observation of a parameter, whose every entry is the sum of a column.
Observation sliced(const Observation& observation, const std::vector<std::int64_t>& columns);

/// The gradient that the replay computes with the rules.
Matrix predict(const Observation& observation, const Rules& rules);

/// The claim with one gradient as its only judged tensor.
Claim narrowed(Claim claim, const std::string& gradient);

/// The entries as an explanation predicts them, and how far a kernel with that fault may be off.
struct Prediction {
  std::vector<LongDouble> value;
  std::vector<double> tolerance;
};

/// The prediction of changed rules. Its tolerance is the bound, times the quotient of the errors of
/// the changed and of the right formula where that is above 1, plus a rounding to the stored type.
Prediction prediction_of(const Observation& observation, const Matrix& replayed);

/// Predicts entry i as factor(i) times its truth.
Prediction scaled_truth(const Observation& observation,
                        const std::function<LongDouble(std::size_t)>& factor);

struct Explanation {
  std::string text;
  std::function<Prediction(const Observation&)> predict;
  bool of_whole = false;  ///< it predicts all entries together, never those of some blocks alone
  int coefficients = 0;   ///< fitted ones: 1 one in all, 2 one for each unit, 3 two for each unit
};

/// How well an explanation fits, over one or more observations.
struct Fit {
  std::int64_t wrong = 0;         ///< entries over their bound or of the wrong class
  std::int64_t explained = 0;     ///< wrong entries within the tolerance of their prediction
  std::int64_t contradicted = 0;  ///< right entries beyond the tolerance of their prediction
  double worst = 0;               ///< largest error/tolerance of an explained entry
  /// Evidence against chance: the sum over explained entries of log2(|got - truth| / tolerance),
  /// at most 40 for one entry.
  double bits = 0;

  void take(const Observation& observation, const Prediction& prediction);
  /// Adds the fit to other entries.
  void add(const Fit& other);
  /// Whether all wrong entries are explained but one in 256; of 16 or more, one may always be left.
  bool explains() const;
  /// Whether it explains, and not by chance: with `tested` hypotheses (this one and the simpler
  /// ones), a chance hit has a probability of at most 1/1024.
  bool holds(std::int64_t tested) const;
};

/// The bits that the best of `tested` explanations needs: 10 + log2(tested).
double required_bits(std::int64_t tested);

/// The most bits that any explanation of the observation could have.
double most_bits(const Observation& observation);

}  // namespace gradproof::diagnosis
