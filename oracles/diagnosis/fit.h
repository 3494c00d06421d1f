// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gradproof::diagnosis {

/// A type with 64 bits of precision on x86, more than any kernel's number has.
using LongDouble = long double;

/// One entry of a tensor beside its truth.
struct ComparedEntry {
  std::int64_t index = 0;  ///< row-major in the whole tensor
  double got = 0;
  LongDouble truth = 0;
  double bound = 0;
  bool wrong = false;
};

/// One entry as an explanation predicts it, and the error that a kernel with that fault may add.
struct PredictedEntry {
  LongDouble value = 0;
  double tolerance = 0;
};
using Prediction = std::vector<PredictedEntry>;

/// The agreement of predicted entries with those of the code.
///
/// A prediction explains the wrong entries if
///   wrong - explained <= max(wrong/256, wrong >= 16 ? 1 : 0),
/// and holds, as the k-th that was tested, if it is no chance hit, of a probability of 1/1024:
///   sum over the explained of log2(|got - truth| / tolerance) >= 10 + log2(k).
struct Fit {
  std::int64_t wrong = 0;         ///< entries over their bound or of the wrong class
  std::int64_t explained = 0;     ///< wrong entries within the tolerance of their prediction
  std::int64_t contradicted = 0;  ///< right entries beyond the tolerance of their prediction
  std::int64_t finite = 0;        ///< explained entries that are finite numbers
  std::int64_t moved = 0;         ///< wrong entries whose prediction is not the truth
  double worst = 0;               ///< largest error/tolerance of an explained entry
  double bits = 0;                ///< the sum above

  /// Counts an entry, and returns its term of the sum: at most 40, and 0 of one that is not
  /// explained.
  double take(const ComparedEntry& entry, const PredictedEntry& predicted);
  bool explains() const;
  bool holds(std::int64_t tested) const;
};

/// The sentence of an explanation, and its fit.
struct Explanation {
  std::string text;
  Fit fit;
};

/// The texts as one: "A; or: B; or: C; or 2 more".
std::string joined(const std::vector<std::string>& all);

/// The text of the sentences that fit equally well, at least one: "A; or: B; each explains all 40
/// wrong entries to 0.46 of their bound".
std::string fit_text(const std::vector<Explanation>& best);

}  // namespace gradproof::diagnosis
