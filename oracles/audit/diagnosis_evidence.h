// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "oracles/audit/diagnosis_replay.h"

namespace gradproof::diagnosis {

/// Some blocks of what was asked about: the gradient's entries that they decide, and the scene they
/// come from. All blocks for a gradient of one number.
struct Evidence {
  Target target;
  Scene scene;
  std::vector<std::int64_t> index;  ///< of the entries in the whole tensor
  std::vector<double> got;
  std::vector<Wide> truth;
  std::vector<double> bound;
  std::vector<double> ratio;  ///< |got - truth|/bound; infinite for a wrong class
  std::vector<unsigned char> wrong;
  Matrix right;        ///< the gradient by the right rules
  bool sound = false;  ///< that is the truth: changed rules can be trusted
};
Evidence evidence_of(const Question& question, const std::vector<std::int64_t>& blocks);

/// What the claim says about one gradient alone.
Claim narrowed(Claim claim, const std::string& gradient);

/// What an explanation says the entries are, and how far a kernel with that fault may be off.
struct Prediction {
  std::vector<Wide> value;
  std::vector<double> tolerance;
};

/// Of changed rules: the bound, wider where the changed formula's rounding errors are.
Prediction prediction_of(const Evidence& evidence, const Matrix& replayed);

/// Of the truth times a factor for each entry.
Prediction scaled_truth(const Evidence& evidence, const std::function<Wide(std::size_t)>& factor);

struct Explanation {
  std::string words;
  std::function<Prediction(const Evidence&)> predict;
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

  void take(const Evidence& evidence, const Prediction& prediction);
  /// All wrong entries but one in 256; of 16 or more, but one.
  bool explains() const;
  /// That, and no chance hit: with so many explanations tried, this one and the
  /// simpler ones, one in 1024.
  bool holds(std::int64_t tried) const;
};

/// Bits that an explanation needs when so many were tried.
double bits_wanted(std::int64_t tried);

/// Bits that the best explanation could have.
double most_bits(const Evidence& evidence);

}  // namespace gradproof::diagnosis
