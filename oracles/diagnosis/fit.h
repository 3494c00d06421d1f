// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/diagnosis/observation.h"

namespace gradproof::diagnosis {

/// How well predicted entries agree with those of the kernel, over one or more observations.
///
/// A prediction explains the wrong entries if
///   wrong - explained <= max(wrong/256, wrong >= 16 ? 1 : 0),
/// and holds, as the k-th that was tried, if it is no chance hit:
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
