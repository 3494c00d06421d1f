// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <map>
#include <string>

#include "oracles/audit/choice.h"
#include "oracles/audit/entry.h"

namespace gradproof {

/// Entries of one block, or of the tensor if it reaches all blocks, and their ground.
struct Sum {
  Values<Entry> entries;
  double natural = 0;  ///< where not all entries are asked; else natural_of() says, if it must
  double noise = 0;
  bool finite = true;                             ///< at rest
  std::map<std::int64_t, std::string> irregular;  ///< entries, as the stages say

  void add_ground(double magnitude, int log2_scale, const Precision& precision,
                  const Choice& choice) {
    noise += precision.unit * std::ldexp(magnitude, -log2_scale - choice.log2_step);
    finite = finite && std::isfinite(magnitude);
  }
  void add(const Values<Entry>& more) {
    if (entries.empty())
      entries = more;
    else
      for (std::size_t k = 0; k < more.size(); ++k) entries[k].add(more[k]);
  }
};

using Sums = std::map<std::int64_t, Sum>;

}  // namespace gradproof
