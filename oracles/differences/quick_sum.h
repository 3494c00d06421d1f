// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/differences/unit_pass.h"

namespace gradproof {

/// The sum of the differences of several units, by place, in doubles. The errors D(h) - claimed are
/// small beside the claims, so that plain sums suffice for them; the claims are summed in two
/// doubles, for the report.
class QuickSum {
 public:
  bool empty() const { return indices_.empty(); }

  void add(const Differences& more, const PerturbedLoss& losses, std::size_t tensor) {
    if (empty()) {
      sum_ = more;
      for (std::size_t k = 0; k < more.size(); ++k)
        indices_.push_back(losses.entry(tensor, static_cast<std::int64_t>(k)));
      return;
    }
    for (std::size_t k = 0; k < more.size(); ++k) {
      add_claim(sum_.claimed[k], more.claimed[k]);
      sum_.error[k] += more.error[k];
      sum_.self_error[k] += more.self_error[k];
      sum_.jump[k] += more.jump[k];
    }
  }

  Values<Entry> entries() const {
    Values<Entry> entries;
    for (std::size_t k = 0; k < sum_.size(); ++k) entries.push_back(entry_of(sum_, k, indices_[k]));
    return entries;
  }

 private:
  static void add_claim(Wide& into, const Wide& more) {
    const double hi = into.hi + more.hi;
    const double added = hi - into.hi;
    into.mid += ((into.hi - (hi - added)) + (more.hi - added)) + more.mid;
    into.hi = hi;
  }

  Differences sum_{0};
  std::vector<std::int64_t> indices_;
};

}  // namespace gradproof
