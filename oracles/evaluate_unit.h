// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/gather.h"
#include "oracles/text.h"

namespace gradproof {

/// Everything a claim says about one column, in one arithmetic.
template <class T>
struct Evaluation {
  Values<T> y;
  Named<T> side_values;  ///< mean, rstd, buffers after the step
  Adjoint<T> gradients;
};

/// The unit forward and backward; with given statistics the backward pass starts from a forward
/// pass of its own, which uses them.
template <class A>
Evaluation<typename A::Scalar> evaluate_unit(const Claim& claim, const A& arithmetic,
                                             const Unit<typename A::Scalar>& unit,
                                             const std::optional<GivenStatistics>& given,
                                             std::int64_t column) {
  Evaluation<typename A::Scalar> result;
  const bool separate = claim.backward && given;
  if (claim.forward || !separate) {
    Text<A> text({claim, arithmetic, unit});
    result.y = text.forward();
    result.side_values = text.side_values();
    if (claim.backward && !separate) result.gradients = text.backward();
  }
  if (separate) {
    const auto from_given = with_given(unit, *given, column);
    Text<A> text({claim, arithmetic, from_given});
    text.forward();
    result.gradients = text.backward();
  }
  return result;
}

}  // namespace gradproof
