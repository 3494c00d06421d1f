// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <type_traits>
#include <vector>

#include "oracles/arithmetic/forms.h"
#include "oracles/bounds/summand_fields.h"
#include "oracles/graph/functions/truth_functions.h"
#include "oracles/graph/graph_contract.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The numbers that a norm subtracts and multiplies with in one group; the variance is over N.
template <class T>
struct GroupStatistics {
  T mean{0};
  T rstd{0};
  T variance{0};
};

/// A sum plus one number, without a radius; CertifiedOf has its own function of this name.
template <class T>
[[gnu::always_inline]] inline T added_to_sum(const T& sum, const T& more) {
  return sum + more;
}

/// The arithmetic of a truth: nothing is rounded that the functions do not round. With packs each
/// lane has its own number.
template <class Functions>
struct TruthArithmetic {
  using Scalar = typename Functions::Scalar;
  using T = Scalar;
  static constexpr bool kErrors = false;

  /// Dekker's product may overflow beyond it.
  static constexpr double kLargestExact = 0x1p900;

  struct Sum {
    T total{0};
    void add(const T& v) { total = added_to_sum(total, v); }
    void add(const Sum& other) { add(other.total); }
    /// Adds the product of two numbers that are known exactly, where it is one number: half of all
    /// digits are enough for each. False, and nothing is added, where it is none, or so small that
    /// digits of it may be lost.
    template <class V>
    [[gnu::always_inline]] bool add_exact_product(const V& left, const V& right) requires(
        std::is_same_v<T, CertifiedOf<V>>) {
      const DoubleDoubleOf<V> product = two_product(left, right);
      const V size = abs(product.hi);
      if (!all(MaskOf<V>(product.lo == V(0)) & MaskOf<V>(size <= V(kLargestExact)) &
               (MaskOf<V>(size >= V(kUnderflow)) | MaskOf<V>(left == V(0)) |
                MaskOf<V>(right == V(0))))) [[unlikely]]
        return false;
      total = added_to_sum(total, product.hi);
      return true;
    }
    T sum(std::int64_t, const SumSettings& = {}) const { return total; }
    template <class Chain>
    T sum_after(const Chain&, double = 1) const {
      return total;
    }
    Sum joined() const { return {sum_of_lanes(total)}; }
  };

  Functions functions;

  static Sum new_sum(double = 1) { return {}; }
  static const StepContract& contract_of(std::string_view) { return default_step_contract(); }
  static const T& shared(const T& v, SharedError) { return v; }
  static const T& folded(const T& v) { return v; }
  static const T& stored(const T& v) { return v; }
  static const T& value_read(const T& v, std::string_view) { return v; }
  static bool stores_value(std::string_view) { return false; }
  static const T& stored_part(const T& v, std::string_view, StoredPart) { return v; }
  static bool stores_values() { return false; }
  static bool rounds_literals() { return false; }
  static const T& literal(const T& v) { return v; }
  static bool keeps(std::string_view, StoredPart) { return false; }
  static double share_of_range(std::string_view, StoredPart) { return 1; }

  /// The moments of a group's numbers x(0) ... x(count - 1) about their mean, or with `centred`
  /// false about 0.
  struct Moments {
    T mean{0};
    T variance{0};
  };
  template <class Numbers>
  static Moments moments(const Numbers& x, std::int64_t count, bool centred) {
    const auto n = static_cast<double>(count);
    T mean(0);
    if (centred) {
      for (std::int64_t k = 0; k < count; ++k) mean = mean + x(k);
      mean = mean / n;
    }
    T squares(0);
    for (std::int64_t k = 0; k < count; ++k) {
      const T d = x(k) - mean;
      squares = squares + d * d;
    }
    return {mean, squares / n};
  }
  static GroupStatistics<T> statistics(const Moments& m, const StatisticsOf& of) {
    return {m.mean, T(T(1) / Functions::sqrt(T(m.variance + T(of.eps)))), m.variance};
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
