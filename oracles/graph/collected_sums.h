// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "oracles/graph/arithmetic.h"
#include "oracles/graph/exact_block.h"
#include "oracles/truth/truth_sum.h"

namespace gradproof {

/// Truth and bound of the gradients that sum over blocks, those of a tensor without the axis that
/// blocks are cut from: one sum for each use of the tensor.
template <class F>
class CollectedSums {
 public:
  using Arithmetic = ErrorArithmetic<F>;

  struct Use {
    int tensor = 0;
    std::int64_t length = 0;  ///< terms of one sum
    SumOrder order;
    std::vector<ErrorSum<F>> bounds;
    std::vector<TruthSum> truths;
    double share = 1;  ///< as in SummedUse
  };

  void take(Use use) { uses_.push_back(std::move(use)); }

  bool has(int tensor) const {
    return std::any_of(uses_.begin(), uses_.end(),
                       [&](const Use& use) { return use.tensor == tensor; });
  }
  /// What other segments gave the tensor before: added first.
  void start(Use use) { uses_.insert(uses_.begin(), std::move(use)); }
  /// A gradient that is no sum, as sums of one term each.
  static Use terms(int tensor, const BlockAnswers& found) {
    Use use{tensor, 1, {}, {}, {}};
    for (std::size_t i = 0; i < found.hi.size(); ++i) {
      ErrorScalar<F> term(found.estimate[i]);
      term.e = found.error[i];
      term.vacuous = found.vacuous[i] != 0;
      term.overflow = found.overflow[i] != 0;
      use.bounds.emplace_back().add(term);
      use.truths.emplace_back().add(found.ball(i));
    }
    return use;
  }

  /// The same uses, for the truths of another evaluation.
  CollectedSums without_truths() const {
    CollectedSums anew = *this;
    for (Use& use : anew.uses_) use.truths.assign(use.truths.size(), TruthSum());
    return anew;
  }
  /// Takes the other's truths; of `inexact` numbers those that are not finite.
  void take_truths(const CollectedSums& from, bool inexact) {
    for (std::size_t u = 0; u < uses_.size(); ++u)
      for (std::size_t i = 0; i < uses_[u].truths.size(); ++i)
        if (!inexact || !from.uses_[u].truths[i].is_finite())
          uses_[u].truths[i] = from.uses_[u].truths[i];
  }
  /// The truths of a part of the block, with 50 digits; the uses stand in the same order.
  void add_exact(const ExactBlock& part, const GraphPlan& plan) {
    std::size_t u = 0;
    for (const auto& use : part.uses()) {
      for (std::size_t i = 0; i < use.sums.size(); ++i) uses_[u].truths[i].add(use.sums[i].total);
      ++u;
    }
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k) {
      if (plan.values[k].sliced || part.gradient(k).empty()) continue;
      for (std::size_t i = 0; i < part.gradient(k).size(); ++i)
        uses_[u].truths[i].add(part.gradient(k)[i]);
      ++u;
    }
  }

  /// The sums of another block, which has the same uses in the same order.
  void merge(const CollectedSums& other) {
    if (uses_.empty()) {
      *this = other;
      return;
    }
    for (std::size_t u = 0; u < uses_.size(); ++u) {
      Use& use = uses_[u];
      const Use& more = other.uses_[u];
      use.length += more.length;
      for (std::size_t i = 0; i < use.bounds.size(); ++i) {
        use.bounds[i].add(more.bounds[i]);
        use.truths[i].add(more.truths[i]);
      }
    }
  }

  /// Of one element: each use's sum goes through one chain over all blocks, then the uses, each
  /// stored, are added.
  std::pair<ErrorScalar<F>, TruthSum> of(int tensor, std::size_t element,
                                         const Arithmetic& arithmetic) const {
    TruthSum truth;
    truth.add(Ball{});
    ErrorScalar<F> error(0.0);
    bool first = true;
    for (const Use& use : uses_) {
      if (use.tensor != tensor) continue;
      const ErrorScalar<F> sum =
          use.bounds[element].sum(use.order.chain_of(use.length), use.length > 1 ? use.share : 1);
      error = first ? sum : arithmetic.stored(error) + arithmetic.stored(sum);
      first = false;
      truth.add(use.truths[element]);
    }
    return {error, truth};
  }

 private:
  std::vector<Use> uses_;
};

}  // namespace gradproof
