// SPDX-License-Identifier: Apache-2.0
#include "oracles/linear/bound.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/tensor/dtype.h"

namespace gradproof {
namespace {

constexpr double kBits = 0x1p24;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The largest power of two of which the number is a multiple; infinite for 0.
double quantum_of(float value) {
  if (value == 0) return kInfinite;
  int exponent = 0;
  const double significand =
      std::ldexp(std::frexp(std::abs(static_cast<double>(value)), &exponent), 24);
  const int zeros = std::countr_zero(static_cast<std::uint32_t>(significand));
  return std::ldexp(1.0, exponent - 24 + zeros);
}

/// True if sums of `count` such numbers are never rounded in float32 and stay in its range.
bool never_rounded(const Lattice& g, double count) {
  return !g.fine() && g.largest * count <= kBits * g.quantum &&
         g.quantum >= std::ldexp(1.0, -149) && g.largest * count < 0x1p127;
}

}  // namespace

double gamma_of(std::int64_t n, double unit) {
  const double product = static_cast<double>(n) * unit;
  if (!(product < 1)) return kInfinite;
  return product / (1 - product) * (1 + 0x1p-50);  // covers the few operations in double
}

Lattice Lattice::operator*(const Lattice& other) const {
  if (fine() || other.fine()) return {};
  return {quantum * other.quantum, largest * other.largest};
}

Lattice lattice_of(const at::Tensor& matrix) {
  const at::Tensor flat =
      (matrix.dim() == 2 && !matrix.is_contiguous() ? matrix.t() : matrix).contiguous();
  const float* data = flat.const_data_ptr<float>();
  Lattice lattice{0x1p127, 0};
  for (std::int64_t i = 0; i < flat.numel(); ++i) {
    if (!std::isfinite(data[i])) return {};
    lattice.quantum = std::min(lattice.quantum, quantum_of(data[i]));
    lattice.largest = std::max(lattice.largest, std::abs(static_cast<double>(data[i])));
    if (lattice.largest > kBits * lattice.quantum) return {};
  }
  return lattice;
}

ProductBound::ProductBound(std::int64_t count, const Lattice& products,
                           const std::optional<Lattice>& bias)
    : count_(count), roundings_(count + (bias ? 1 : 0)) {
  const auto n = static_cast<double>(count);
  exact_ = never_rounded(products, n);
  if (exact_ && bias) {
    const Lattice together{std::min(products.quantum, bias->quantum),
                           products.largest * n + bias->largest};
    exact_ = !bias->fine() && never_rounded(together, 1);
  }
  quantum_ = bias ? std::min(products.quantum, bias->quantum) : products.quantum;
  relative_ = exact_ ? 0 : gamma_of(roundings_, kSingleUnit);
  radius_ = exact_ ? 0 : gamma_of(roundings_, kDoubleUnit);
  // The magnitudes are sums in float64 themselves, too small by a factor of 1 - gamma at most. A
  // product below float32's normal range loses 2^-150.
  inflation_ = 1 + 2 * gamma_of(roundings_, kDoubleUnit);
  absolute_ = exact_ ? 0 : n * 0x1p-149;
}

Truth ProductBound::truth(double value, double magnitude, double bias) const {
  Truth truth;
  truth.hi = value;
  if (exact_) return truth;
  const double size = (magnitude + std::abs(bias)) * inflation_;
  truth.radius = radius_ * size * (1 + 0x1p-50);
  truth.bound = (relative_ * size + absolute_) * (1 + 0x1p-50);
  // A partial sum is at most all sizes, grown as they are added: it may leave float32's range.
  truth.any_nonfinite = !(size + truth.bound <= largest_finite(DType::f32));
  if (truth.any_nonfinite) truth.bound = kInfinite;
  return truth;
}

std::string ProductBound::why() const {
  if (exact_) return fmt::format("{} products and their sums are exact in f32", count_);
  return fmt::format("gamma_{} of f32 times |A||B|{}, any order", roundings_,
                     roundings_ > count_ ? " + |bias|" : "");
}

SumBound::SumBound(std::int64_t count, const Lattice& numbers)
    : roundings_(std::max<std::int64_t>(count - 1, 0)),
      exact_(never_rounded(numbers, static_cast<double>(count))),
      relative_(exact_ ? 0 : gamma_of(roundings_, kSingleUnit)),
      radius_(exact_ ? 0 : gamma_of(roundings_, kDoubleUnit)) {}

Truth SumBound::truth(double value, double magnitude) const {
  Truth truth;
  truth.hi = value;
  const double size = magnitude * (1 + 2 * radius_);
  truth.radius = radius_ * size;
  truth.bound = relative_ * size * (1 + 0x1p-50);
  truth.any_nonfinite = !exact_ && !(size + truth.bound <= largest_finite(DType::f32));
  if (truth.any_nonfinite) truth.bound = kInfinite;
  return truth;
}

std::string SumBound::why() const {
  if (exact_) return fmt::format("a sum of {} that is exact in f32", roundings_ + 1);
  return fmt::format("gamma_{} of f32 times the sum of sizes, any order", roundings_);
}

}  // namespace gradproof
