// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "oracles/functions/function_of.h"

namespace gradproof {

/// Audits a functor's gradient against differences of its value, docs/audit_function.md:
///
///   struct Softplus {
///     template <class T>  // outputs from inputs, all row-major
///     std::vector<T> value(const std::vector<std::vector<T>>& in) const;
///     template <class T>  // optional: the formula that is audited, one gradient for each input
///     std::vector<std::vector<T>> gradient(const std::vector<std::vector<T>>& in,
///                                          const std::vector<T>& dy) const;
///   };
///
/// A row for each input. Without `gradient` the derivative by dual numbers is audited, and the row
/// says so. Several threads may call the functor. Throws UsageError for what does not fit.
template <class F>
std::vector<AuditRow> audit_function(const F& function, const std::vector<FunctionInput>& inputs,
                                     const FunctionOptions& options = {}) {
  return audit_function_target(FunctionOf<F>(function, inputs, options), options);
}

/// Audits numbers that other code computed, a kernel for example, as the gradient of the functor's
/// value. They are compared entry by entry with the derivative by dual numbers, which is audited
/// itself. An entry is wrong where |given - derivative| > 10^-digits * (largest gradient of the
/// tensor).
template <class F>
std::vector<AuditRow> audit_numbers(const F& function, const std::vector<FunctionInput>& inputs,
                                    const GivenGradients& given,
                                    const FunctionOptions& options = {}) {
  return audit_given(FunctionOf<F>(function, inputs, options, Claimed::by_dual_numbers), options,
                     given);
}

}  // namespace gradproof
