// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/derivatives/unit_derivatives.h"

namespace gradproof {

/// The largest absolute value among a unit's numbers: x, dy, parameters, the value and the
/// cotangent of each step, rstd and 1 / divisor. After forward and backward; infinite where there
/// is a NaN.
template <template <class> class Arithmetic, class T>
double largest_number(const CompiledPipeline& compiled, ReadUnit<Arithmetic, T>& read) {
  double largest = 0;
  const auto take = [&](double value) {
    const double size = std::abs(value);
    largest = size >= 0 ? std::max(largest, size) : std::numeric_limits<double>::infinity();
  };
  const auto take_all = [&](const Values<T>& values) {
    for (const T& value : values) take(nearest(value));
  };
  take_all(read.unit().x);
  take_all(read.unit().dy);
  for (const Values<T>& numbers : read.unit().numbers) take_all(numbers);
  take(nearest(rstd_of<T>(compiled, read.runner())));
  for (std::size_t k = 0; k < compiled.lines.size(); ++k) {
    const CompiledStep& line = compiled.lines[k];
    if (line.kind == StageKind::divide) take(1 / line.scalars[0]);
    if (line.later_norm) take(1 / std::sqrt(line.scalars[0]));  // at most that is its rstd
    take_all(read.runner().value_of(k));
    if (const Values<T>* cotangent = read.runner().cotangent_of(k)) take_all(*cotangent);
  }
  return largest;
}

/// A bound on the absolute error that underflow adds to a derivative of a unit's loss in Quick or
/// Rough; infinite where something may overflow. `order` is that of the derivative: 1 is a
/// gradient.
///
/// With 2^L above all numbers of the unit and of the directions, standard normal ones:
///
///   - One operation of Quick or Rough loses below 2^-1060 in parts that underflow, over its
///     divisor; exp takes e^-690 < 2^-995 for 0. Together 2^(L-990).
///   - The error of a number is passed on by the derivative that is one order higher, m. That is a
///     sum of products of at most m K derivatives of K steps. A step's is at most 2^(2L+3), a
///     norm's 3 weight rstd; each order beyond the first puts in another rstd. dy and m - 1
///     directions are its other factors, and of second order 1 / step, below 2^(L+20). With L from
///     above: m (2L+3) K + (2m+3) L + 20 <= m (2L+3) (K+2) + 20.
///   - 2^44 for how many operations there are and how often a sum over the unit passes one on.
///
/// Where this is below 1, L is below 80 and six numbers of the unit multiplied are far from
/// overflow; no step multiplies more.
template <template <class> class Arithmetic, class T>
double most_lost(const CompiledPipeline& compiled, ReadUnit<Arithmetic, T>& read, int order) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double largest = largest_number(compiled, read);
  if (!(largest < 0x1p80)) return kInfinite;
  const int log2_largest = std::max(4, std::ilogb(largest) + 1);  // normal numbers: below 9
  const int steps = static_cast<int>(compiled.lines.size());
  const int exponent = (order + 1) * (2 * log2_largest + 3) * (steps + 2) + 20 + 44 - 990;
  return exponent < 0 ? std::ldexp(1.0, exponent) : kInfinite;
}

/// Whether no operation on the unit can under- or overflow at all: its numbers are 0 or of moderate
/// size. Steps multiply fewer than six of them, and exp of 300 is in range. Used where all entries
/// are exactly 0.
template <template <class> class Arithmetic, class T>
bool all_moderate(const CompiledPipeline& compiled, ReadUnit<Arithmetic, T>& read) {
  const auto moderate = [](const Values<T>& values) {
    return std::all_of(values.begin(), values.end(), [](const T& value) {
      const double size = std::abs(nearest(value));
      return size == 0 || (size >= 0x1p-100 && size <= 300);
    });
  };
  bool all = moderate(read.unit().x) && moderate(read.unit().dy);
  for (const Values<T>& numbers : read.unit().numbers) all = all && moderate(numbers);
  for (std::size_t k = 0; k < compiled.lines.size() && all; ++k) {
    const Values<T>* cotangent = read.runner().cotangent_of(k);
    all = moderate(read.runner().value_of(k)) && (!cotangent || moderate(*cotangent));
  }
  return all;
}

}  // namespace gradproof
