// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/arithmetic/double_double.h"
#include "oracles/bounds/error_sum.h"
#include "oracles/bounds/statistics_rule.h"
#include "oracles/graph/functions/error_functions.h"
#include "oracles/graph/graph_contract.h"
#include "oracles/graph/lane_statistics.h"
#include "oracles/graph/truth_arithmetic.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The error arithmetic of a contract, F being the type that it accumulates in.
template <class F, class V = double>
class ErrorArithmetic {
 public:
  using Functions = ErrorFunctions<F, V>;
  using ExactFunctions = ErrorFunctions<Unshared<F>, V>;
  using Scalar = ErrorScalar<F, V>;
  using T = Scalar;
  using Sum = ErrorSum<F, V>;
  static constexpr bool kErrors = true;
  static double unit() { return F::u; }
  /// An empty sum; one chain may add up `scale` times as many numbers.
  Sum new_sum(double scale = 1) const { return Sum(likely(scale)); }
  LikelySetting likely(double scale) const { return likely_setting(contract_.bound, scale); }
  double deviations() const { return deviations_of(contract_.bound); }
  static double underflow() { return F::eta; }
  static double largest() { return F::largest; }

  ErrorArithmetic(const GraphContract& contract, const StoredType& storage)
      : functions(contract.functions, storage),
        functions_of_exact(contract.functions, storage),
        contract_(contract) {}

  const StepContract& contract_of(std::string_view value) const { return contract_.step(value); }
  /// The relative error of exp in units of u, where |x| is small.
  double exp_units() const { return contract_.functions.exp; }
  /// The relative error of exp(x) beyond exp_units(), because the error grows with |x|.
  V of_argument(const T& x) const {
    return (functions.exp_units(x) - contract_.functions.exp) * F::u;
  }
  double exp_underflow() const {
    return contract_.functions.exp_underflows ? F::smallest_normal : F::eta;
  }
  bool stores_values() const { return functions.storage().unit != 0; }
  bool rounds_literals() const { return stores_values() || contract_.functions.literal != 0; }
  T literal(const T& v) const { return stores_values() ? stored(v) : functions.literal(v); }
  T stored(const T& v) const { return functions.stored(v); }
  /// True if later steps and adjoints may read the step's value as it is stored.
  bool stores_value(std::string_view name) const {
    return stores_values() || contract_.stores_value(name);
  }
  /// The step's value as later steps and adjoints may read it.
  T value_read(const T& v, std::string_view name) const {
    if (stores_values() || !contract_.stores_value(name)) return stored(v);
    return rounded_to(contract_.result_type(name), v);
  }
  /// True if the contract keeps that part of the stage in the storage type.
  bool keeps(std::string_view stage, StoredPart part) const {
    return contract_.stores(stage, part);
  }
  T stored_part(const T& v, std::string_view stage, StoredPart part) const {
    return keeps(stage, part) ? functions.stored(v) : v;
  }
  /// A number of a sum with the errors that so many additions may give it if the part runs in the
  /// storage type.
  T in_stored_sum(T v, std::string_view stage, StoredPart part, std::int64_t chain) const {
    const double grown = growth(keeps(stage, part), chain);
    if (grown == 0) return v;
    const StoredType& type = functions.storage();
    const MaskOf<V> finite = is_finite(v.v);
    const V reach = v.reach();
    // Each number is added once, and the sum may be subnormal in the storage type. A number alone
    // may leave that type's range.
    v.e += select(finite & (reach > V(0)), V(grown * reach + V(type.underflow)), V(0));
    v.overflow = v.overflow | (finite & !(reach < V(type.overflow)));
    return v;
  }
  /// ErrorSum's `share` for sums of that part: the largest number of the accumulation type over
  /// that of the storage type if the part may run in the latter, else 1.
  double share_of_range(std::string_view stage, StoredPart part) const {
    return keeps(stage, part) ? F::largest / largest_finite(contract_.storage) : 1;
  }
  /// The count n, with its rounding error if the part may have it in the storage type.
  T count(std::int64_t n, std::string_view stage, StoredPart part) const {
    T r(static_cast<double>(n));
    if (keeps(stage, part))
      r.e = std::abs(round_to(contract_.storage, lane(r.v, 0)) - lane(r.v, 0));
    return r;
  }
  /// The relative growth of sums of overlapping windows' gradients, with a chain for each lane.
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

  /// The sums that the errors of a group's statistics follow from, in every form.
  struct Moments {
    double count = 0;
    V mean = 0;
    MomentSums<F, V> sums;  ///< about the mean
    Sum squares;            ///< of statistics about 0
  };
  /// The moments of the numbers x(0) ... x(n - 1).
  template <class Numbers>
  Moments moments(const Numbers& x, std::int64_t n, bool centred) const {
    Moments m;
    m.squares = new_sum();
    m.sums.ask(likely(1));
    m.count = static_cast<double>(n);
    if (!centred) {
      for (std::int64_t k = 0; k < n; ++k) m.squares.add(x(k) * x(k));
      return m;
    }
    m.mean = sum_of(x, n) / m.count;
    for (std::int64_t k = 0; k < n; ++k) m.sums.add(x(k), m.mean, true);
    return m;
  }

  /// The sum in double, with no larger error than the contract permits: deviations from a mean far
  /// from 0 are computed from it. For a contract in double its roundings are added at the end.
  template <class Numbers>
  static V sum_of(const Numbers& x, std::int64_t n) {
    V sum = 0;
    V roundings = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const DoubleDoubleOf<V> more = two_sum(sum, x(k).v);
      sum = more.hi;
      if constexpr (!F::value_is_exact) roundings += more.lo;
    }
    return select(is_finite(sum), V(sum + roundings), sum);
  }

  /// The statistics, with the largest error of the forms that the contract permits.
  GroupStatistics<T> statistics(const Moments& m, const StatisticsOf& of) const {
    if (!of.centred) return root_mean_square(m, of);
    LaneStatistics<F, V> found;
    for (int i = 0; i < kLanesOf<V>; ++i) {
      const One one = over_forms(m.sums.of_lane(i, m.count, lane(m.mean, i)), of);
      found.put(i, one);
    }
    return found.in_lanes();
  }

  Functions functions;
  ExactFunctions functions_of_exact;  ///< of arguments that have no error

 private:
  using One = GroupStatistics<ErrorScalar<F>>;

  double growth(bool grows, std::int64_t chain) const {
    if (!grows) return 0;
    return std::expm1(static_cast<double>(chain) * std::log1p(functions.storage().unit));
  }

  /// Takes the value, which all forms have, and the larger error.
  static void widen(ErrorScalar<F>& into, const ErrorScalar<F>& other) {
    const double error = other.total();
    into.v = other.v;
    if (into.e < error || error != error) into.e = error;
    into.vacuous = into.vacuous || other.vacuous;
    into.overflow = into.overflow || other.overflow;
  }

  /// The variance from a sum of squares, a count and a quotient in the storage type; the mean too
  /// is stored before the squares are taken: its error d adds d^2 to the variance.
  ErrorScalar<F> stored_variance(ErrorScalar<F> variance, const ErrorScalar<F>& mean,
                                 std::int64_t n, std::string_view stage) const {
    const double off = lane(functions.stored(T::everywhere(mean)).total(), 0);
    variance.e += off * off;
    if (!stores_values()) return variance;
    const T sum =
        functions.stored(T::everywhere(variance * ErrorScalar<F>(static_cast<double>(n))));
    return lane(functions.stored(T(sum / count(n, stage, StoredPart::used_statistics))), 0);
  }

  One over_forms(const UnitMoments& moments, const StatisticsOf& of) const {
    const auto n = static_cast<std::int64_t>(moments.count);
    One largest;
    for (const Variance form : {Variance::two_pass, Variance::welford, Variance::one_pass}) {
      if (!of.contract.of(FormPart::variance, of.stage).has(static_cast<int>(form))) continue;
      // Welford's mean and sum of squares take one step more than a sum.
      const std::int64_t chain = of.contract.order(SumRole::value).chain_of(n) +
                                 (n > 1 && form == Variance::welford ? 1 : 0);
      const StatisticsRule<F> rule(form, contract_.functions.rsqrt, chain);
      auto found = rule.of(moments, of.eps);
      const double literal = contract_.functions.literal * of.eps;  // eps may have been rounded
      const bool kept = keeps(of.stage, StoredPart::used_statistics);
      if (kept) found.variance = stored_variance(found.variance, found.mean, n, of.stage);
      ErrorScalar<F> variance = found.variance;
      variance.e += literal;
      if (kept || literal != 0) found.rstd = rule.rstd(variance, of.eps);
      widen(largest.mean, found.mean);
      widen(largest.rstd, found.rstd);
      widen(largest.variance, found.variance);
    }
    return largest;
  }

  GroupStatistics<T> root_mean_square(const Moments& m, const StatisticsOf& of) const {
    const std::int64_t chain =
        of.contract.order(SumRole::value).chain_of(static_cast<std::int64_t>(m.count));
    T mean = m.squares.sum(chain) / m.count;
    mean.e += contract_.functions.literal * of.eps;
    const StatisticsRule<F> rule(Variance::two_pass, contract_.functions.rsqrt, 0);
    LaneStatistics<F, V> found;
    for (int i = 0; i < kLanesOf<V>; ++i) {
      One one;
      one.rstd = rule.rstd(lane(mean, i), of.eps);
      found.put(i, one);
    }
    return found.in_lanes();
  }

  const GraphContract& contract_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
