// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "oracles/graph/accumulated_gradient.h"
#include "oracles/graph/arithmetic.h"
#include "oracles/graph/blocks/exact_block.h"
#include "oracles/truth/truth_sum.h"

namespace gradproof {

/// The place of a sum whose truth is open: the use of a tensor, and the element.
struct OpenSum {
  std::size_t use = 0;
  std::size_t element = 0;

  auto operator<=>(const OpenSum&) const = default;
};

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
    SumSettings settings = {};
    int terms = 1;  ///< of a gradient that is no sum: so many cotangents were added
    std::vector<double> sizes = {};  ///< of several the sum of their sizes, by element
  };

  /// The whole gradient at one element.
  struct Total {
    ErrorScalar<F> error;
    TruthSum truth;
    int terms = 0;     ///< cotangents that were added
    double sizes = 0;  ///< the sum of their sizes
  };

  void take(Use use) { uses_.push_back(std::move(use)); }
  std::size_t uses() const { return uses_.size(); }

  bool has(int tensor) const {
    return std::any_of(uses_.begin(), uses_.end(),
                       [&](const Use& use) { return use.tensor == tensor; });
  }
  /// Takes the gradient that other segments gave the tensor before; it is added first.
  void start(Use use) { uses_.insert(uses_.begin(), std::move(use)); }
  /// Some elements of a gradient that is no sum, as sums of one term each.
  static Use terms(int tensor, const BlockAnswers& found, std::size_t first, std::size_t count) {
    Use use{tensor, 1, {}, {}, {}};
    use.terms = found.terms;
    for (std::size_t i = first; i < first + count; ++i) {
      ErrorScalar<F> term(found.estimate[i]);
      term.e = found.error[i];
      term.vacuous = found.vacuous[i] != 0;
      term.overflow = found.overflow[i] != 0;
      use.bounds.emplace_back().add(term);
      use.truths.emplace_back().add(found.ball(i));
      if (use.terms > 1) use.sizes.push_back(found.sizes[i]);
    }
    return use;
  }

  /// A copy with empty truths, for the truths of another evaluation.
  CollectedSums without_truths() const {
    CollectedSums anew = *this;
    for (Use& use : anew.uses_) use.truths.assign(use.truths.size(), TruthSum());
    return anew;
  }
  /// Takes the other's truths; if `inexact`, only those that are not finite.
  void take_truths(const CollectedSums& from, bool inexact) {
    for (std::size_t u = 0; u < uses_.size(); ++u)
      for (std::size_t i = 0; i < uses_[u].truths.size(); ++i)
        if (!inexact || !from.uses_[u].truths[i].is_finite())
          uses_[u].truths[i] = from.uses_[u].truths[i];
  }
  /// Adds the truths of a part of the block, with 50 digits; its uses are in the same order.
  void add_exact(const ExactBlock& part, const GraphPlan& plan) {
    each_sum(part, plan, [&](const OpenSum& at, const Real& sum) {
      uses_[at.use].truths[at.element].add(sum);
    });
  }
  /// Calls visit(at, sum) for the part of each sum that a part of the block gives.
  template <class Functions, class Visit>
  static void each_sum(const PlainBlock<Functions>& part, const GraphPlan& plan,
                       const Visit& visit) {
    std::size_t u = 0;
    for (const auto& use : part.uses()) {
      for (std::size_t i = 0; i < use.sums.size(); ++i) visit({u, i}, use.sums[i].total);
      ++u;
    }
    for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k) {
      if (plan.values[k].sliced || part.gradient(k).empty()) continue;
      for (std::size_t i = 0; i < part.gradient(k).size(); ++i) visit({u, i}, part.gradient(k)[i]);
      ++u;
    }
  }
  /// Makes a sum NaN, whatever its other terms are.
  void set_nan(const OpenSum& at) {
    TruthSum& truth = uses_[at.use].truths[at.element];
    truth = TruthSum();
    truth.add(Real(std::numeric_limits<double>::quiet_NaN()));
  }

  /// Adds the sums of another block, which has the same uses in the same order.
  void merge(CollectedSums other) {
    if (uses_.empty()) {
      *this = std::move(other);
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

  /// The sum for one element: each use's sum goes through one chain over all blocks, then the uses,
  /// each stored, are added in any order.
  Total of(int tensor, std::size_t element, const Arithmetic& arithmetic) const {
    Total all{ErrorScalar<F>(0.0), {}};
    int several = 0;
    for (const Use& use : uses_) {
      if (use.tensor != tensor) continue;
      all.truth.add(use.truths[element]);
      const ErrorScalar<F> sum =
          use.bounds[element].sum(use.order.chain_of(use.length), settings_of(use));
      if (++several == 2) all.error = arithmetic.stored(all.error);
      const ErrorScalar<F> term = several == 1 ? sum : arithmetic.stored(sum);
      all.error = several == 1 ? term : added(all.error, term);
      all.terms += use.terms;
      all.sizes += use.terms > 1 ? use.sizes[element] : size_in_sum(arithmetic.stored(sum));
    }
    if (several > 1)
      all.error = after_additions(all.error, arithmetic.functions.storage(), all.sizes, all.terms);
    return all;
  }

 private:
  /// One number alone is no partial sum.
  static SumSettings settings_of(const Use& use) {
    SumSettings settings = use.settings;
    if (use.length == 1) settings.share = 1;
    return settings;
  }

  std::vector<Use> uses_;
};

}  // namespace gradproof
