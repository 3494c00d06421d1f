// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include "core/claim/contract.h"
#include "oracles/bounds/error_sum.h"
#include "oracles/bounds/statistics_rule.h"
#include "oracles/graph/error_functions.h"
#include "oracles/graph/graph_contract.h"

namespace gradproof {

/// What a norm takes off and multiplies with in one group.
template <class T>
struct GroupStatistics {
  T mean{0};
  T rstd{0};
};

/// The arithmetic of a truth: nothing is rounded that the functions do not round.
template <class Functions>
struct TruthArithmetic {
  using Scalar = typename Functions::Scalar;
  using T = Scalar;
  static constexpr bool kErrors = false;

  struct Sum {
    T total{0};
    void add(const T& v) { total = total + v; }
    void add(const Sum& other) { total = total + other.total; }
    T sum(std::int64_t) const { return total; }
  };

  Functions functions;

  static const T& shared(const T& v, SharedError) { return v; }
  static const T& folded(const T& v) { return v; }
  static const T& stored(const T& v) { return v; }
  static const T& stored_part(const T& v, std::string_view, StoredPart) { return v; }

  /// Of all numbers; `centred` says whether the mean is taken off.
  static GroupStatistics<T> statistics(const std::vector<T>& x, double eps, bool centred,
                                       std::string_view) {
    const auto n = static_cast<double>(x.size());
    T mean(0);
    if (centred) {
      for (const T& v : x) mean = mean + v;
      mean = mean / n;
    }
    T squares(0);
    for (const T& v : x) {
      const T d = v - mean;
      squares = squares + d * d;
    }
    return {mean, T(T(1) / Functions::sqrt(T(squares / n + T(eps))))};
  }
};

/// The error arithmetic of a contract, F being the type that it accumulates in.
template <class F>
class ErrorArithmetic {
 public:
  using Functions = ErrorFunctions<F>;
  using Scalar = ErrorScalar<F>;
  using T = Scalar;
  using Sum = ErrorSum<F>;
  static constexpr bool kErrors = true;
  static constexpr double kUnit = F::u;
  static constexpr double kUnderflow = F::eta;

  ErrorArithmetic(const GraphContract& contract, const StoredType& storage)
      : functions(contract.functions, storage), contract_(contract) {}

  T stored(const T& v) const { return functions.stored(v); }
  /// Stored where the contract keeps that part of the stage so.
  T stored_part(const T& v, std::string_view stage, StoredPart part) const {
    return contract_.stores(stage, part) ? functions.stored(v) : v;
  }
  /// Unit roundoff of the running sums of a norm's parameter gradients; 0: as everything else.
  double unit_of_parameter_sums(std::string_view stage) const {
    return contract_.stores(stage, StoredPart::parameter_sums) ? functions.storage_unit() : 0;
  }
  /// By how much a sum of overlapping windows' gradients may grow, where it is kept in the storage
  /// type.
  double growth_of_overlaps(std::string_view stage, std::int64_t chain) const {
    if (!contract_.stores(stage, StoredPart::overlapping_sums)) return 0;
    return std::expm1(static_cast<double>(chain) * std::log1p(functions.storage_unit()));
  }
  static T folded(const T& v) { return Functions::folded(v); }
  static T shared(const T& v, SharedError symbol) {
    T r = v;
    r.of(symbol) += r.e;
    r.e = 0;
    return r;
  }

  /// The larger error of the forms that the contract permits, for sums in any order.
  /// A mean that is stored before the squares are taken, off by d, adds d^2 to the variance.
  GroupStatistics<T> statistics(const std::vector<T>& x, double eps, bool centred,
                                std::string_view stage) const {
    const auto n = static_cast<std::int64_t>(x.size());
    if (!centred) return {T(0), root_mean_square(x, eps)};
    GroupStatistics<T> largest;
    bool first = true;
    for (const Variance form : contract_.variances) {
      Contract c;
      c.variance = form;
      c.rsqrt_error = contract_.rsqrt_error;
      const std::int64_t chain = form == Variance::welford ? n : n - 1;
      const StatisticsRule<F> rule(c, n > 1 ? chain : 0);
      auto found = rule(x, n, eps);
      if (contract_.stores(stage, StoredPart::used_statistics)) {
        const double off = functions.stored(found.mean).total();
        found.variance.e += off * off;
        found.rstd = rule.rstd(found.variance, eps);
      }
      if (first) largest = {found.mean, found.rstd};
      first = false;
      widen(largest.mean, found.mean, SharedError::mean);
      widen(largest.rstd, found.rstd, SharedError::rstd);
    }
    return largest;
  }

  Functions functions;

 private:
  static void widen(T& into, const T& other, SharedError symbol) {
    into.of(symbol) = std::max(into.of(symbol), T(other).of(symbol));
    into.vacuous = into.vacuous || other.vacuous;
    into.overflow = into.overflow || other.overflow;
  }

  T root_mean_square(const std::vector<T>& x, double eps) const {
    Sum squares;
    for (const T& v : x) squares.add(v * v);
    const T mean = squares.sum(std::ssize(x) - 1) / static_cast<double>(x.size());
    Contract c;
    c.rsqrt_error = contract_.rsqrt_error;
    return StatisticsRule<F>(c, 0).rstd(mean, eps);
  }

  const GraphContract& contract_;
};

}  // namespace gradproof
