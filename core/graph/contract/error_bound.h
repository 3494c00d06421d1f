// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gradproof {

/// Which error a graph's numbers may have (docs/likely.md).
enum class ErrorBound {
  certain,  ///< no program of the contract exceeds it
  likely,   ///< roundings of long sums count with eight standard deviations
  typical   ///< with one
};

/// How many standard deviations count; 0: roundings count with all that they may be.
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

/// How many times the mean over all orders of a sum counts for the order of one program.
constexpr double orders_of(ErrorBound bound) { return bound == ErrorBound::typical ? 1 : 2; }

}  // namespace gradproof
