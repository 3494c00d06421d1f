// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "oracles/arithmetic/lanes.h"

/// A number that is too large for its type whatever the errors are is an infinity in every
/// computation. It stands in an ErrorScalar as that infinity, without an error, and with `overflow`
/// set: what is made of it may be of another class than what is made of the exact number.
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

/// Whether it is such a number. Any other infinity has an infinite error as soon as it is computed,
/// or no `overflow`.
template <class Scalar>
MaskOf<Scalar> is_surely_infinite(const Scalar& number) {
  using V = decltype(number.v);
  return number.overflow & MaskOf<Scalar>(!number.vacuous) & is_inf(number.v) &
         (number.total() == V(0));
}

/// Whether it is an infinity only because what was computed without errors left the range: with its
/// error the number may be anything, and so may what is made of it.
template <class Scalar>
MaskOf<Scalar> is_doubtful_infinity(const Scalar& number) {
  using V = decltype(number.v);
  return number.overflow & is_inf(number.v) & MaskOf<Scalar>(!(number.total() == V(0)));
}

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
