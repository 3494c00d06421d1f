// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/bounds/error_scalar.h"
#include "oracles/graph/truth_arithmetic.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The statistics of each lane, as arrays.
template <class F, class V>
struct LaneStatistics {
  using T = ErrorScalar<F, V>;

  struct Number {
    double v[kLanesOf<V>];
    double error[kLanesOf<V>];
    double vacuous[kLanesOf<V>];
    double overflow[kLanesOf<V>];

    void put(int i, const ErrorScalar<F>& of) {
      v[i] = of.v;
      error[i] = of.total();
      vacuous[i] = of.vacuous ? 1 : 0;
      overflow[i] = of.overflow ? 1 : 0;
    }
    T in_lanes() const {
      T r(load<V>(v));
      r.e = load<V>(error);
      r.vacuous = load<V>(vacuous) == V(1);
      r.overflow = load<V>(overflow) == V(1);
      return r;
    }
  };
  Number mean;
  Number rstd;
  Number variance;

  void put(int i, const GroupStatistics<ErrorScalar<F>>& one) {
    mean.put(i, one.mean);
    rstd.put(i, one.rstd);
    variance.put(i, one.variance);
  }
  GroupStatistics<T> in_lanes() const {
    return {mean.in_lanes(), rstd.in_lanes(), variance.in_lanes()};
  }
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
