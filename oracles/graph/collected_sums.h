// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "oracles/graph/arithmetic.h"
#include "oracles/graph/runner.h"
#include "oracles/truth/truth_sum.h"

namespace gradproof {

using TruthRunner = GraphRunner<TruthArithmetic<CertifiedFunctions>>;
using ExactRunner = GraphRunner<TruthArithmetic<PlainFunctions<Real>>>;

inline Ball ball(const Certified& c) { return {c.hi, c.lo, c.radius}; }

/// Truth and bound of the gradients that sum over blocks, those of a tensor without the axis that
/// blocks are cut from: one sum for each use of the tensor.
template <class F>
class CollectedSums {
 public:
  using Arithmetic = ErrorArithmetic<F>;

  /// What one block adds. With `exact` its truths are those of 50 digits. A gradient that is no sum
  /// inside the block is one of a single term.
  void take(const GraphPlan& plan, const GraphRunner<Arithmetic>& bounds, const TruthRunner& truths,
            const ExactRunner* exact) {
    bounds_ = bounds.summed_uses();
    for (std::size_t u = 0; u < bounds_.size(); ++u) {
      std::vector<TruthSum> sums(bounds_[u].sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i)
        if (exact != nullptr)
          sums[i].add(exact->summed_uses()[u].sums[i].total);
        else
          sums[i].add(ball(truths.summed_uses()[u].sums[i].total));
      truths_.push_back(std::move(sums));
    }
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k)
      if (!plan.values[k].sliced && !bounds.gradient(k).empty())
        take_terms(static_cast<int>(k), bounds.gradient(k), truths.gradient(k),
                   exact != nullptr ? &exact->gradient(k) : nullptr);
  }

  /// The sums of another block, which has the same uses in the same order.
  void merge(const CollectedSums& other) {
    if (bounds_.empty()) {
      *this = other;
      return;
    }
    for (std::size_t u = 0; u < bounds_.size(); ++u) {
      bounds_[u].length += other.bounds_[u].length;
      for (std::size_t i = 0; i < bounds_[u].sums.size(); ++i) {
        bounds_[u].sums[i].add(other.bounds_[u].sums[i]);
        truths_[u][i].add(other.truths_[u][i]);
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
    for (std::size_t u = 0; u < bounds_.size(); ++u) {
      if (bounds_[u].tensor != tensor) continue;
      const std::int64_t chain = std::max<std::int64_t>(bounds_[u].length - 1, 0);
      const ErrorScalar<F> sum = bounds_[u].sums[element].sum(chain);
      error = first ? sum : arithmetic.stored(error) + arithmetic.stored(sum);
      first = false;
      truth.add(truths_[u][element]);
    }
    return {error, truth};
  }

 private:
  void take_terms(int tensor, const Field<ErrorScalar<F>>& bounds, const Field<Certified>& truths,
                  const Field<Real>* exact) {
    SummedUse<Arithmetic> use{tensor, 1, {}};
    std::vector<TruthSum> sums(bounds.v.size());
    for (std::size_t i = 0; i < bounds.v.size(); ++i) {
      use.sums.emplace_back();
      use.sums.back().add(Arithmetic::folded(bounds.v[i]));
      if (exact != nullptr)
        sums[i].add(exact->v[i]);
      else
        sums[i].add(ball(truths.v[i]));
    }
    bounds_.push_back(std::move(use));
    truths_.push_back(std::move(sums));
  }

  std::vector<SummedUse<Arithmetic>> bounds_;
  std::vector<std::vector<TruthSum>> truths_;  ///< by use
};

}  // namespace gradproof
