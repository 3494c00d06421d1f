// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "oracles/diagnosis/replay.h"

namespace gradproof::diagnosis {

/// A part of what was asked about: the gradient's entries that it decides, and the replayed they
/// come from. All elements for a gradient of one number.
struct Observation {
  explicit Observation(ReplayedPipeline of_part)
      : target(target_of(*of_part.question)), replayed(std::move(of_part)) {}

  Target target;
  ReplayedPipeline replayed;
  /// Of one number: the numbers are in these, whose sums it is the sum of, and not in the replayed.
  std::vector<ReplayedPipeline> tiles;
  std::vector<std::int64_t> index;  ///< of the entries in the whole tensor
  std::vector<double> got;
  std::vector<Wide> truth;
  std::vector<double> bound;
  std::vector<double> ratio;  ///< |got - truth|/bound; infinite for a wrong class
  std::vector<unsigned char> wrong;
  Matrix right;        ///< the gradient by the right rules
  bool sound = false;  ///< that is the truth: changed rules can be trusted
};

/// The truth of the gradient and its bound.
Answer answer_of(const Question& question);

/// Every entry from first to before last; of the replayed no more than rows and columns.
Observation entries_of(const Question& question, const Answer& answer, std::int64_t first,
                       std::int64_t last);

/// Of a part, with all right cotangents; or no more of them than the gradient needs.
Observation evidence_of(const Question& question, const Answer& answer, const Part& part,
                        bool no_more = false);

/// Of one number: of parts that are together everything.
Observation evidence_of_sum(const Question& question, const Answer& answer,
                            const std::vector<Part>& parts);

/// Some columns of a part of all rows: every entry of a parameter is the sum of a column.
Observation sliced(const Observation& evidence, const std::vector<std::int64_t>& columns);

/// The gradient under the rules.
Matrix predict(const Observation& evidence, const Rules& rules);

/// What the claim says about one gradient alone.
Claim narrowed(Claim claim, const std::string& gradient);

/// What an explanation says the entries are, and how far a kernel with that fault may be off.
struct Prediction {
  std::vector<Wide> value;
  std::vector<double> tolerance;
};

/// Of changed rules: the bound, wider where the changed formula's rounding errors are.
Prediction prediction_of(const Observation& evidence, const Matrix& replayed);

/// Of the truth times a factor for each entry.
Prediction scaled_truth(const Observation& evidence,
                        const std::function<Wide(std::size_t)>& factor);

struct Explanation {
  std::string words;
  std::function<Prediction(const Observation&)> predict;
  bool of_whole = false;  ///< says nothing about some blocks alone
  int coefficients = 0;   ///< fitted: 1 in all, 2 one for each unit, 3 two for each
};

/// How well an explanation does, over one or more Evidences.
struct Fit {
  std::int64_t wrong = 0;
  std::int64_t explained = 0;     ///< of those, within the tolerance
  std::int64_t contradicted = 0;  ///< right entries that the explanation says were wrong
  double worst = 0;               ///< largest error/tolerance of an explained one
  /// What the agreement is worth: each explained entry was that much less likely by chance, were it
  /// anywhere within its error.
  double bits = 0;

  void take(const Observation& evidence, const Prediction& prediction);
  /// What was measured on other entries.
  void add(const Fit& other);
  /// All wrong entries but one in 256; of 16 or more, but one.
  bool explains() const;
  /// That, and no chance hit: with so many explanations tried, this one and the
  /// simpler ones, one in 1024.
  bool holds(std::int64_t tried) const;
};

/// Bits that an explanation needs when so many were tried.
double bits_wanted(std::int64_t tried);

/// Bits that the best explanation could have.
double most_bits(const Observation& evidence);

}  // namespace gradproof::diagnosis
