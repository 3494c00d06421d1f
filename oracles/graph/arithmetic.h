// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/bounds/error_sum.h"
#include "oracles/bounds/statistics_rule.h"
#include "oracles/graph/error_functions.h"
#include "oracles/graph/graph_contract.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// What a norm takes off and multiplies with in one group.
template <class T>
struct GroupStatistics {
  T mean{0};
  T rstd{0};
};

/// The arithmetic of a truth: nothing is rounded that the functions do not round. With packs each
/// lane is a number of its own.
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
    template <class Chain>
    T sum_after(const Chain&) const {
      return total;
    }
    Sum joined() const { return {sum_of_lanes(total)}; }
  };

  Functions functions;

  static std::int64_t chain_of(std::int64_t) { return 0; }
  static const T& shared(const T& v, SharedError) { return v; }
  static const T& folded(const T& v) { return v; }
  static const T& stored(const T& v) { return v; }
  static const T& value_read(const T& v, std::string_view) { return v; }
  static bool stores_value(std::string_view) { return false; }
  static const T& stored_part(const T& v, std::string_view, StoredPart) { return v; }
  static bool stores_values() { return false; }
  static bool keeps(std::string_view, StoredPart) { return false; }

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
template <class F, class V = double>
class ErrorArithmetic {
 public:
  using Functions = ErrorFunctions<F, V>;
  using Scalar = ErrorScalar<F, V>;
  using T = Scalar;
  using Sum = ErrorSum<F, V>;
  static constexpr bool kErrors = true;
  static double unit() { return F::u; }
  static constexpr double kUnderflow = F::eta;

  ErrorArithmetic(const GraphContract& contract, const StoredType& storage)
      : functions(contract.functions, storage),
        contract_(contract),
        kept_(contract.functions, stored_type_of(contract.storage, contract.accumulation)) {}

  /// The longest chain of inexact additions in a sum of so many numbers.
  std::int64_t chain_of(std::int64_t length) const { return contract_.sums.chain_of(length); }
  bool stores_values() const { return functions.storage_unit() != 0; }
  T stored(const T& v) const { return functions.stored(v); }
  /// Whether later steps and adjoints may read the step's value as it is stored.
  bool stores_value(std::string_view name) const {
    return stores_values() || contract_.stores_value(name);
  }
  /// That value as they may read it.
  T value_read(const T& v, std::string_view name) const {
    return stores_values() || !contract_.stores_value(name) ? stored(v) : kept_.stored(v);
  }
  /// Whether the contract keeps that part of the stage in the storage type.
  bool keeps(std::string_view stage, StoredPart part) const {
    return contract_.stores(stage, part);
  }
  /// Stored where it does.
  T stored_part(const T& v, std::string_view stage, StoredPart part) const {
    return keeps(stage, part) ? functions.stored(v) : v;
  }
  /// By how much a norm's sums for the gradients of its parameters may grow, where they run in the
  /// storage type.
  double growth_of_parameter_sums(std::string_view stage, std::int64_t chain) const {
    return growth(keeps(stage, StoredPart::parameter_sums), chain);
  }
  /// The same of a sum of overlapping windows' gradients; each lane has a chain of its own.
  V growth_of_overlaps(std::string_view stage, const V& chain) const {
    const bool grows = keeps(stage, StoredPart::overlapping_sums);
    return lanewise(chain, [&](double n) { return growth(grows, static_cast<std::int64_t>(n)); });
  }
  static T folded(const T& v) { return Functions::folded(v); }
  static T shared(const T& v, SharedError symbol) {
    T r = v;
    r.of(symbol) += r.e;
    r.e = 0;
    return r;
  }

  /// The larger error of the forms that the contract permits, for sums in any order.
  GroupStatistics<T> statistics(const std::vector<T>& x, double eps, bool centred,
                                std::string_view stage) const {
    const auto n = static_cast<double>(x.size());
    if (!centred) return root_mean_square(x, eps);
    V mean = 0;
    for (const T& v : x) mean += v.v;
    mean = mean / n;
    MomentSums<F, V> sums;
    for (const T& v : x) sums.add(v, mean, true);
    LaneStatistics found;
    for (int i = 0; i < kLanesOf<V>; ++i) {
      const One one = of_forms(sums.of_lane(i, n, lane(mean, i)), eps, stage);
      found.put(i, one);
    }
    return found.in_lanes();
  }

  Functions functions;

 private:
  /// Statistics of one unit.
  using One = GroupStatistics<ErrorScalar<F>>;

  /// The statistics of each lane, as arrays.
  struct LaneStatistics {
    struct Number {
      double v[kLanesOf<V>];
      double error[kLanesOf<V>];
      double vacuous[kLanesOf<V>];
      double overflow[kLanesOf<V>];

      void put(int i, const ErrorScalar<F>& of, SharedError symbol) {
        v[i] = of.v;
        error[i] = ErrorScalar<F>(of).of(symbol);
        vacuous[i] = of.vacuous ? 1 : 0;
        overflow[i] = of.overflow ? 1 : 0;
      }
      T in_lanes(SharedError symbol) const {
        T r(load<V>(v));
        r.of(symbol) = load<V>(error);
        r.vacuous = load<V>(vacuous) == V(1);
        r.overflow = load<V>(overflow) == V(1);
        return r;
      }
    };
    Number mean;
    Number rstd;

    void put(int i, const One& one) {
      mean.put(i, one.mean, SharedError::mean);
      rstd.put(i, one.rstd, SharedError::rstd);
    }
    GroupStatistics<T> in_lanes() const {
      return {mean.in_lanes(SharedError::mean), rstd.in_lanes(SharedError::rstd)};
    }
  };

  double growth(bool grows, std::int64_t chain) const {
    if (!grows) return 0;
    return std::expm1(static_cast<double>(chain) * std::log1p(functions.storage_unit()));
  }

  static void widen(ErrorScalar<F>& into, const ErrorScalar<F>& other, SharedError symbol) {
    const double error = ErrorScalar<F>(other).of(symbol);
    if (into.of(symbol) < error) into.of(symbol) = error;
    into.vacuous = into.vacuous || other.vacuous;
    into.overflow = into.overflow || other.overflow;
  }

  /// A mean that is stored before the squares are taken, off by d, adds d^2 to the variance.
  One of_forms(const UnitMoments& moments, double eps, std::string_view stage) const {
    const auto n = static_cast<std::int64_t>(moments.count);
    One largest;
    bool first = true;
    for (const Variance form : contract_.variances) {
      // Welford's mean and sum of squares take one step more than a sum.
      const std::int64_t chain = chain_of(n) + (n > 1 && form == Variance::welford ? 1 : 0);
      const StatisticsRule<F> rule(form, contract_.rsqrt_error, chain);
      auto found = rule.of(moments, eps);
      if (keeps(stage, StoredPart::used_statistics)) {
        const double off = lane(functions.stored(T::everywhere(found.mean)).total(), 0);
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

  GroupStatistics<T> root_mean_square(const std::vector<T>& x, double eps) const {
    Sum squares;
    for (const T& v : x) squares.add(v * v);
    const T mean =
        squares.sum(chain_of(static_cast<std::int64_t>(x.size()))) / static_cast<double>(x.size());
    const StatisticsRule<F> rule(Variance::two_pass, contract_.rsqrt_error, 0);
    LaneStatistics found;
    for (int i = 0; i < kLanesOf<V>; ++i) {
      One one;
      one.rstd = rule.rstd(lane(mean, i), eps);
      found.put(i, one);
    }
    return found.in_lanes();
  }

  const GraphContract& contract_;
  Functions kept_;  ///< with the storage type, whatever is stored between
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
