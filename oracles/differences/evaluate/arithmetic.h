// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace gradproof {

/// The arithmetic of the values that are differenced: 31, 47 or 50 digits.
enum class AuditArithmetic { double_double, triple_double, digits50 };

/// How the change of L is computed for every entry of a tensor in one unit, each moved alone.
enum class Method {
  direct,      ///< the whole unit is evaluated again for each entry
  together,    ///< all entries are moved at once, since each affects its own elements only
  statistics,  ///< through the mean and the variance of the unit (docs/audit.md)
};

/// A tensor of a unit whose numbers can be moved: x, or one of CompiledPipeline::numbers.
struct Movable {
  bool input = true;
  std::size_t number = 0;
};

/// The unevaluated sum of three doubles, the largest first; NaN where hi is not finite.
struct Wide {
  double hi = 0;
  double mid = 0;
  double lo = 0;
};

/// A central difference of order 2(order_index + 1) with h = 2^log2_h (tableau.h).
struct DifferenceFormula {
  int order_index = 0;
  int log2_h = 0;
};

/// Arrays that take the differences of some numbers, one element for each: the claim,
/// D(h) - claimed, D(h) - D(2h) and the jump of the slopes (Entry::jump).
struct DifferencesInto {
  Wide* claimed;
  double* error;
  double* self_error;
  double* jump;

  DifferencesInto from(std::ptrdiff_t first) const {
    return {claimed + first, error + first, self_error + first, jump + first};
  }
};

}  // namespace gradproof
