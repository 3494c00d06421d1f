// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace gradproof {

/// In what the values are computed that are differenced: 31, 47 or 50 digits.
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

/// Where the differences of some numbers go: D(h) - claimed, D(h) - D(2h) and the slopes' jump.
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
