// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/tensor/dtype.h"
#include "core/tensor/tensor.h"
#include "properties/calibration/sizes/programs/variant.h"

namespace gradproof::programs {

/// The arithmetic of the programs: a variant's order of sums, and its fault if it has one. T is
/// float for programs that are judged, double for the reference.
template <class T>
class Arithmetic {
 public:
  Arithmetic(const Variant& variant, DType storage) : variant_(variant), storage_(storage) {}

  bool has(Fault fault) const { return variant_.fault == fault; }
  Form form() const { return variant_.form; }
  DType storage() const { return storage_; }

  /// Faults of additions are in long sums only: a sum of at most 16 terms has plain additions.
  template <class Term>
  T sum(std::int64_t count, const Term& term) const {
    const bool narrow_sums = has(Fault::sums_half) || has(Fault::sums_bf16);
    if (narrow_sums && count > kShort) {
      const DType narrow = has(Fault::sums_half) ? DType::f16 : DType::bf16;
      return sum_in<T>(variant_.order, count, term,
                       [=](T a, T b) { return rounded(narrow, a + b); });
    }
    return sum_in<T>(variant_.order, count, term, [](T a, T b) { return a + b; });
  }

  /// A sum along the axis whose length is tried.
  template <class Term>
  T long_sum(std::int64_t count, const Term& term) const {
    return sum(terms(count), term);
  }
  /// The number of terms of such a sum that the program has.
  std::int64_t terms(std::int64_t count) const {
    if (has(Fault::last_left_out)) return count - 1;
    if (has(Fault::eight_left_out)) return count - 8;
    if (has(Fault::block_left_out)) return count - 32;
    return count;
  }

  /// A parameter's gradient, a sum over all numbers that share the parameter.
  template <class Term>
  T parameter_sum(std::int64_t count, const Term& term) const {
    return sum(has(Fault::row_left_out) ? count - 1 : count, term);
  }

  /// The number that a mean divides by.
  T divisor(std::int64_t count) const {
    return static_cast<T>(has(Fault::one_less) ? count - 1 : count);
  }

  /// 1/sqrt(variance + 1e-6)
  T inverse_root(T variance) const {
    const T eps = static_cast<T>(has(Fault::eps_larger) ? 1e-5 : 1e-6);
    const T root = has(Fault::eps_outside) ? std::sqrt(variance) + eps : std::sqrt(variance + eps);
    return has(Fault::rstd_16) ? rounded(sixteen_bits(), T(1) / root) : T(1) / root;
  }

  T exp(T x) const {
    const T e = std::exp(x);
    if (has(Fault::exp_16)) return rounded(sixteen_bits(), e);
    if (!has(Fault::exp_rough)) return e;
    // A polynomial of too low a degree on [0, 1) of the exponent's fraction is off like this.
    const T log2 = x * static_cast<T>(1.4426950408889634);
    return e * (T(1) + static_cast<T>(2e-5) * (log2 - std::floor(log2)));
  }

  T quotient(T a, T b) const {
    return has(Fault::quotient_rough) ? a / b * static_cast<T>(1 + 2e-5) : a / b;
  }

  /// A number as a product reads it.
  T operand(T x) const {
    if (has(Fault::operands_bf16)) return rounded(DType::bf16, x);
    if (has(Fault::operands_half)) return rounded(DType::f16, x);
    if (!has(Fault::operands_tf32)) return x;
    // Dekker's split leaves the upper 11 of 24 bits, rounded to nearest.
    const T scaled = x * T(8193);
    return scaled - (scaled - x);
  }
  /// A term of a long sum of products.
  T product(T a, T b) const { return operand(a) * operand(b); }

  /// A probability as the product behind a softmax reads it.
  T probability(T p) const { return has(Fault::probabilities_16) ? rounded(DType::f16, p) : p; }

  /// The unit by whose statistics a unit is computed.
  std::int64_t statistics_of(std::int64_t unit, std::int64_t units) const {
    return has(Fault::stale_statistics) && unit == units - 1 && unit > 0 ? unit - 1 : unit;
  }
  /// The parameter, or cotangent, that a gradient takes for the one at `place`.
  std::int64_t broadcast(std::int64_t place) const { return has(Fault::broadcast) ? 0 : place; }

  /// The number that one operator leaves to the next.
  T between(T x) const { return variant_.eager ? rounded(storage_, x) : x; }

 private:
  static constexpr std::int64_t kShort = 16;

  static T rounded(DType dtype, T x) {
    return static_cast<T>(round_to(dtype, static_cast<double>(x)));
  }
  DType sixteen_bits() const { return storage_ == DType::bf16 ? DType::bf16 : DType::f16; }

  const Variant variant_;
  const DType storage_;
};

/// All elements of a tensor.
template <class T>
std::vector<T> numbers_of(const Tensor& tensor) {
  std::vector<T> numbers(static_cast<std::size_t>(tensor.numel()));
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    numbers[static_cast<std::size_t>(i)] = static_cast<T>(tensor.at(i));
  return numbers;
}

/// A tensor of number(0), number(1), ..., each rounded once to the type.
template <class Number>
Tensor stored(DType dtype, const Shape& shape, const Number& number) {
  Tensor tensor(dtype, shape);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, static_cast<double>(number(i)));
  return tensor;
}

}  // namespace gradproof::programs
