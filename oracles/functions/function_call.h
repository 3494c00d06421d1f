// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <vector>

#include "oracles/functions/function_paths.h"
#include "oracles/functions/function_target.h"
#include "oracles/functions/traced.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

template <class T>
using Arrays = std::vector<std::vector<T>>;

/// Whether a functor has a backward formula of its own.
template <class F>
concept HasGradient = requires(const F& f, const Arrays<Traced<Real>>& in,
                               const std::vector<Traced<Real>>& dy) {
  { f.gradient(in, dy) } -> std::convertible_to<Arrays<Traced<Real>>>;
};

/// Calls a user's functor in any arithmetic. The functor and the inputs must outlive the call.
template <class F>
class FunctionCall {
 public:
  FunctionCall(const F& function, const std::vector<FunctionInput>& inputs)
      : function_(function), inputs_(inputs) {}

  template <class V>
  Arrays<Traced<V>> inputs() const {
    Arrays<Traced<V>> in(inputs_.size());
    for (std::size_t k = 0; k < in.size(); ++k)
      in[k].assign(inputs_[k].numbers.begin(), inputs_[k].numbers.end());
    return in;
  }
  const std::vector<FunctionInput>& given() const { return inputs_; }

  /// Throws UsageError where the number of outputs changes.
  template <class T>
  std::vector<T> value(const Arrays<T>& in, BranchTrace& trace) const {
    const Tracing tracing(trace);
    std::vector<T> y = function_.value(in);
    if (outputs_ && y.size() != *outputs_) FunctionTarget::throw_other_outputs(*outputs_, y.size());
    return y;
  }

  void expect_outputs(std::size_t count) { outputs_ = count; }

  template <class T>
  Arrays<T> gradient(const Arrays<T>& in, const std::vector<T>& dy) const {
    return function_.gradient(in, dy);
  }

  /// <J v, dy>, v in one input, computed in R.
  template <class R>
  PathSum directional(std::size_t tensor, const std::vector<double>& v,
                      const std::vector<double>& dy) const {
    auto in = inputs<PathDualOf<R>>();
    for (std::size_t i = 0; i < v.size(); ++i) in[tensor][i] = moving(in[tensor][i], v[i]);
    return derivative(in, dy);
  }

  /// The gradient of one input, entry by entry.
  template <class R>
  Values<PathSum> by_dual_numbers(std::size_t tensor, const std::vector<double>& dy) const {
    auto in = inputs<PathDualOf<R>>();
    Values<PathSum> result;
    for (Traced<PathDualOf<R>>& number : in[tensor]) {
      const Traced<PathDualOf<R>> before = number;
      number = moving(before, 1);
      result.push_back(derivative(in, dy));
      number = before;
    }
    return result;
  }

 private:
  template <class R>
  static Traced<PathDualOf<R>> moving(const Traced<PathDualOf<R>>& number, double speed) {
    return Traced<PathDualOf<R>>(PathDualOf<R>(number.value().v, speed));
  }

  /// Sum of dy times the derivative of y. Outputs with dy = 0 are left out, even if they are NaN.
  template <class R>
  PathSum derivative(const Arrays<Traced<PathDualOf<R>>>& in, const std::vector<double>& dy) const {
    const auto y = function_.value(in);
    if (y.size() != dy.size()) FunctionTarget::throw_other_outputs(dy.size(), y.size());
    typename PathDualOf<R>::Terms terms;
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (dy[i] == 0 || !y[i].value().moves) continue;
      terms.sum += dy[i] * y[i].value().d.sum;
      terms.paths += std::abs(dy[i]) * y[i].value().d.paths;
    }
    return {Real(terms.sum), Real(terms.paths), std::numeric_limits<R>::digits10};
  }

  const F& function_;
  const std::vector<FunctionInput>& inputs_;
  std::optional<std::size_t> outputs_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT
}  // namespace gradproof
