// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace gradproof {

/// The arithmetic of the values that are differenced: 31, 47 or 50 digits.
enum class AuditArithmetic { double_double, triple_double, digits50 };

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
