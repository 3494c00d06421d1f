// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/estimate.h"

#include <cmath>
#include <limits>

#include "core/error.h"

namespace gradproof {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

/// One rounding of a long double result.
long double rounding(long double result) { return std::ldexp(std::abs(result), -64); }

template <class Operation>
Estimate combined(const Estimate& a, const Estimate& b, const Operation& operation) {
  if (a.size() != b.size()) throw InstrumentError("a law combines tensors of different sizes");
  Estimate result{a.shape, {}, {}};
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double value = operation(a.value[i], b.value[i]);
    result.value.push_back(value);
    result.bound.push_back(a.bound[i] + b.bound[i] + rounding(value));
  }
  return result;
}

}  // namespace

Estimate estimate_of(const Tensor& got, const Answer& bounds) {
  Estimate result{got.shape(), {}, {}};
  for (std::int64_t i = 0; i < got.numel(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool may_leave_range = !std::isfinite(bounds.hi[at]) ||
                                 !std::isfinite(bounds.bound[at]) ||
                                 (!bounds.any_nonfinite.empty() && bounds.any_nonfinite[at] != 0);
    result.value.push_back(may_leave_range ? 0 : static_cast<long double>(got.at(i)));
    result.bound.push_back(may_leave_range ? kInfinity
                                           : static_cast<long double>(bounds.bound[at]));
  }
  return result;
}

Estimate exactly(const Shape& shape, std::vector<long double> values) {
  const std::size_t size = values.size();
  return {shape, std::move(values), std::vector<long double>(size, 0)};
}

Estimate exactly(const Tensor& numbers) {
  std::vector<long double> values;
  for (std::int64_t i = 0; i < numbers.numel(); ++i)
    values.push_back(static_cast<long double>(numbers.at(i)));
  return exactly(numbers.shape(), std::move(values));
}

Estimate operator+(const Estimate& a, const Estimate& b) {
  return combined(a, b, [](long double x, long double y) { return x + y; });
}

Estimate operator-(const Estimate& a, const Estimate& b) {
  return combined(a, b, [](long double x, long double y) { return x - y; });
}

Estimate operator*(long double factor, Estimate a) {
  const std::vector<long double> factors(a.size(), factor);
  return factors * std::move(a);
}

Estimate operator*(const std::vector<long double>& factors, Estimate a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    a.value[i] *= factors.at(i);
    // A factor of 0 takes an infinite bound out: 0 times whatever stands there is 0.
    a.bound[i] = factors[i] == 0 ? 0 : std::abs(factors[i]) * a.bound[i] + rounding(a.value[i]);
  }
  return a;
}

Estimate picked(const Estimate& a, const Shape& shape,
                const std::function<std::size_t(std::size_t)>& from) {
  Estimate result{shape, {}, {}};
  const auto size = static_cast<std::size_t>(numel(shape));
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t source = from(i);
    result.value.push_back(a.value.at(source));
    result.bound.push_back(a.bound.at(source));
  }
  return result;
}

Estimate weighted_sum(const Estimate& a, const std::vector<long double>& factors) {
  Estimate sum{{1}, {0}, {0}};
  long double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double term = factors.at(i) * a.value[i];
    sum.value[0] += term;
    size += std::abs(term);
    if (factors[i] != 0) sum.bound[0] += std::abs(factors[i]) * a.bound[i];
  }
  // Each term is rounded once, and goes through at most as many additions as there are terms.
  sum.bound[0] += size * std::ldexp(static_cast<long double>(a.size() + 1), -64);
  return sum;
}

}  // namespace gradproof
