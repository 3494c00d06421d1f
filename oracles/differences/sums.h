// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <map>
#include <string>

#include "oracles/differences/entry.h"
#include "oracles/differences/evaluate/loss_cache.h"
#include "oracles/differences/steps/step_choice.h"

namespace gradproof {

/// The entries of one block (of the tensor, where it reaches all blocks), summed over units, with
/// the figures of their ErrorScales; all absolute.
struct Sum {
  Values<Entry> entries;
  double typical_gradient = 0;  ///< filled where a sample is asked; else typical_gradient_of()
  double noise = 0;             ///< one rounding of L over h, summed over the units
  bool finite = true;           ///< L is finite in every unit before a move
  std::map<std::int64_t, std::string> irregular;  ///< "kink" or "domain", by entry, from the stages

  void add_noise(double magnitude, int log2_scale, const Precision& precision,
                 const StepChoice& choice) {
    noise += precision.unit * std::ldexp(magnitude, -log2_scale - choice.log2_step);
    finite = finite && std::isfinite(magnitude);
  }
  void add(const Values<Entry>& more) {
    if (entries.empty())
      entries = more;
    else
      for (std::size_t k = 0; k < more.size(); ++k) entries[k].add(more[k]);
  }
  void merge(const Sum& other) {
    add(other.entries);
    typical_gradient += other.typical_gradient;
    noise += other.noise;
    finite = finite && other.finite;
    irregular.insert(other.irregular.begin(), other.irregular.end());
  }
};

using EntrySums = std::map<std::int64_t, Sum>;

/// Calls of(losses) at every unit of the block; of all blocks where the tensor reaches all.
template <class Of>
void for_each_unit(const AuditTarget& target, std::size_t tensor, AuditArithmetic arithmetic,
                   std::int64_t block, const Of& of) {
  LossCache cache(target);
  const bool all = target.tensors()[tensor].reach == Reach::all;
  const std::int64_t last = all ? target.blocks() : block + 1;
  for (std::int64_t k = all ? 0 : block; k < last; ++k)
    for (const std::int64_t unit : target.units_of(k)) of(cache.at(arithmetic, unit));
}

}  // namespace gradproof
