// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace gradproof::diagnosis {

/// On x86 it has 64 bits of precision, more than any kernel's number.
using LongDouble = long double;

/// One entry of a tensor beside its truth.
struct ComparedEntry {
  std::int64_t index = 0;  ///< row-major in the whole tensor
  double got = 0;
  LongDouble truth = 0;
  double bound = 0;
  double ratio = 0;  ///< |got - truth|/bound where it is wrong; infinite for a wrong class
  bool wrong = false;
};

/// One entry as an explanation predicts it, and how far a kernel with that fault may be off.
struct PredictedEntry {
  LongDouble value = 0;
  double tolerance = 0;
};
using Prediction = std::vector<PredictedEntry>;
/// How well predicted entries agree with those of the kernel, over one or more replays.
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
  double worst = 0;               ///< largest error/tolerance of an explained entry
  double bits = 0;                ///< the sum above; of one entry at most 40

  void take(const ComparedEntry& entry, const PredictedEntry& predicted);
  /// Adds the fit to other entries.
  void add(const Fit& other);
  bool explains() const;
  bool holds(std::int64_t tested) const;
};

/// A sentence that fits, and how well.
struct Explanation {
  std::string text;
  Fit fit;
};

/// "A; or: B; or: C; or 2 more"
std::string joined(const std::vector<std::string>& all);

/// "A; or: B; each explains all 40 wrong entries to 0.46 of their bound": the sentences that fit
/// equally well, at least one.
std::string fit_text(const std::vector<Explanation>& best);

}  // namespace gradproof::diagnosis
