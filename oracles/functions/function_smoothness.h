// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "oracles/functions/function_call.h"

namespace gradproof {

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// Whether a function is smooth around one number, with the digits of R: at x-h and x+h all
/// comparisons have the same outcome as at x, or the value is the same as with the outcomes at x.
template <class F, class R>
class Smoothness {
 public:
  Smoothness(const FunctionCall<F>& call, const std::vector<double>& dy)
      : call_(call), dy_(dy), in_(call.template inputs<R>()) {}

  /// The reason why the function is not smooth within the move; empty: it is smooth.
  std::string why_not(std::size_t tensor, std::size_t place, double move) {
    const Seen rest = seen(tensor, place, 0, nullptr);
    if (rest.outside() != nullptr) return outside_text(rest.outside(), true, move);
    for (const double h : {move, -move}) {
      const Seen moved = seen(tensor, place, h, nullptr);
      if (moved.outside() != nullptr) return outside_text(moved.outside(), false, move);
      if (moved.trace.outcomes == rest.trace.outcomes) continue;
      const Seen continued = seen(tensor, place, h, &rest.trace.outcomes);
      if (!same(moved, continued))
        return turning_text(rest.trace.outcomes, moved.trace.outcomes, move);
    }
    return "";
  }

 private:
  using T = Traced<R>;

  struct Seen {
    BranchTrace trace;
    std::vector<T> value;

    const char* outside() const {
      if (trace.outside != nullptr) return trace.outside;
      const bool finite =
          std::all_of(value.begin(), value.end(), [](const T& y) { return has_value(y.value()); });
      return finite ? nullptr : "the value";
    }
  };

  /// The value with one number moved; the comparisons have the given outcomes, or their own.
  Seen seen(std::size_t tensor, std::size_t place, double move, const std::vector<char>* outcomes) {
    T& number = in_[tensor][place];
    const T before = number;
    number += T(move);
    Seen result;
    result.trace.replayed = outcomes;
    result.value = call_.value(in_, result.trace);
    number = before;
    return result;
  }

  /// Whether two values agree but for 10^6 roundings of R.
  bool same(const Seen& a, const Seen& b) const {
    const R roundings = pow(R(10), R(6 - std::numeric_limits<R>::digits10));
    R difference(0);
    R magnitude(0);
    for (std::size_t i = 0; i < dy_.size(); ++i) {
      difference += abs(R(dy_[i] * (a.value[i].value() - b.value[i].value())));
      magnitude += abs(R(dy_[i] * a.value[i].value()));
    }
    return difference <= magnitude * roundings;
  }

  const FunctionCall<F>& call_;
  const std::vector<double>& dy_;
  Arrays<T> in_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
