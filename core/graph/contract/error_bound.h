// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// The kind of bound for the errors of a graph's numbers (docs/likely.md).
enum class ErrorBound {
  certain,  ///< no program of the contract exceeds it
  likely,   ///< roundings of long sums count with eight standard deviations
  typical   ///< with one
};

/// The number of standard deviations that count; 0 where roundings count with all they may be.
constexpr double deviations_of(ErrorBound bound) {
  switch (bound) {
    case ErrorBound::likely:
      return 8;
    case ErrorBound::typical:
      return 1;
    case ErrorBound::certain:
      break;
  }
  return 0;
}

/// The factor by which the mean over all orders of a sum counts for the order of one program.
constexpr double orders_of(ErrorBound bound) { return bound == ErrorBound::typical ? 1 : 2; }

}  // namespace gradproof
