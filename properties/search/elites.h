// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/case/case.h"

namespace gradproof {

/// A Case and the largest error/bound of one of its tensors.
struct RatedCase {
  double ratio = 0;
  Case c;
};

/// The population of a search: for each tensor the few Cases with its largest error/bound. A Case
/// that is good for d_beta alone is kept beside those that are good for y, so that a tensor whose
/// bound is easily reached does not push out what the others need: the elites of Mouret and Clune
/// 2015, "Illuminating search spaces by mapping elites", with the tensor as the only feature.
class Elites {
 public:
  /// Keeps the Case if its ratio is not below the worst of the tensor's; of equals the newest is
  /// kept, so that a search drifts over plateaus.
  void add(const std::string& tensor, double ratio, const Case& c);

  /// The largest first; none for a tensor that nothing was added for.
  const std::vector<RatedCase>& of(const std::string& tensor) const;

 private:
  std::map<std::string, std::vector<RatedCase>, std::less<>> kept_;
};

}  // namespace gradproof
