// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/lanes.h"

/// A number that is too large for its type with any permitted errors is an infinity in every
/// computation. An ErrorScalar holds that infinity, without an error, and with `overflow` set:
/// results computed from it may be of another class than those of the exact number.
namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class Scalar>
void become_infinite(Scalar& number, const MaskOf<Scalar>& where) {
  using V = decltype(number.v);
  const V infinity(std::numeric_limits<double>::infinity());
  number.v = select(where, select(number.v < V(0), V(-infinity), infinity), number.v);
  number.e = select(where, V(0), number.e);
  for (V& shared : number.c) shared = select(where, V(0), shared);
}

/// True where the number is such an infinity. Any other infinity has an infinite error as soon as
/// it is computed, or no `overflow`.
template <class Scalar>
MaskOf<Scalar> is_surely_infinite(const Scalar& number) {
  using V = decltype(number.v);
  return number.overflow & MaskOf<Scalar>(!number.vacuous) & is_inf(number.v) &
         (number.total() == V(0));
}

/// True where the number is an infinity only because the value computed without errors left the
/// range: with its error the number may be anything, and so may all results from it.
template <class Scalar>
MaskOf<Scalar> is_doubtful_infinity(const Scalar& number) {
  using V = decltype(number.v);
  return number.overflow & is_inf(number.v) & MaskOf<Scalar>(!(number.total() == V(0)));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
