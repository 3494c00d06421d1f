// SPDX-License-Identifier: Apache-2.0
// The functions on this back-end keep what the contract promises, and numbers cross from one
// type to another as core/tensor/dtype.h says.
#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "core/tensor/dtype.h"
#include "kernels/device/swish.cuh"
#include "kernels/kernel.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_quad;

/// Largest relative error of expf in units of u = 2^-24 over every 61st float of [-104, 0] whose
/// result is normal; double's own exp is 2^29 times finer.
double worst_expf_error() {
  constexpr std::uint32_t kFirst = 0x80000000u;  // -0
  constexpr std::uint32_t kLast = 0xc2d00000u;   // -104
  double worst = 0;
  for (std::uint32_t bits = kFirst; bits <= kLast; bits += 61) {
    const float x = std::bit_cast<float>(bits);
    const double truth = std::exp(static_cast<double>(x));
    if (truth < static_cast<double>(FLT_MIN)) continue;
    const double error = std::abs(static_cast<double>(std::exp(x)) - truth);
    worst = std::max(worst, error / truth * 0x1p24);
  }
  return worst;
}

/// The largest relative error of exp in units of 2^-53, over every binade that Swish can meet.
double worst_exp_error() {
  constexpr int kSamples = 20000;
  double worst = 0;
  for (int i = 0; i < kSamples; ++i) {
    const double x = -std::exp2(-30.0 + 39.0 * i / kSamples) * 1.3;
    const Wide truth = exp(Wide(x));
    if (truth < DBL_MIN) continue;
    const Wide error = abs(Wide(std::exp(x)) - truth) / truth;
    worst = std::max(worst, static_cast<double>(error) * 0x1p53);
  }
  return worst;
}

TEST(KernelFunctions, ExpKeepsTheContractsPromiseAndComesNearIt) {
  const double worst_f32 = worst_expf_error();
  const double worst_f64 = worst_exp_error();
  RecordProperty("worst_u", std::to_string(worst_f32) + " " + std::to_string(worst_f64));
  int judged = 0;
  for (const Kernel& kernel : test_kernels()) {
    const Case c(kernel.schema);
    const double f32 = kernel.claim(c).contract.exp_error;
    const double f64 = kernel.claim(c.with("dtype", "f64")).contract.exp_error;
    if (f32 == 0) continue;  // no Swish
    EXPECT_LE(worst_f32, f32) << kernel.schema->word;
    EXPECT_LE(worst_f64, f64) << kernel.schema->word;
    EXPECT_GT(worst_f32, f32 / 2) << "the promise is vacuous";  // the control
    EXPECT_GT(worst_f64, f64 / 2) << "the promise is vacuous";
    ++judged;
  }
  EXPECT_GT(judged, 0);
}

/// The number of all 65536 bit patterns that are read wrong, plus that of the numbers at, next to
/// and halfway between them that are rounded wrong.
template <class T>
int wrong_conversions(DType dtype) {
  int wrong = 0;
  const auto bits_of = [](float number) {
    return std::bit_cast<std::uint16_t>(convert<T>(number));
  };
  const auto judge = [&](float number) {
    const std::uint16_t want = to_bits16(dtype, static_cast<double>(number));
    if (bits_of(number) != want && !std::isnan(number)) ++wrong;
  };
  for (std::uint32_t pattern = 0; pattern < 65536; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    const float number = convert<float>(std::bit_cast<T>(bits));
    const double want = from_bits16(dtype, bits);
    if (std::isnan(want)) {
      if (!std::isnan(number) || !std::isnan(convert<float>(convert<T>(number)))) ++wrong;
      continue;
    }
    if (static_cast<double>(number) != want || std::signbit(number) != std::signbit(want)) ++wrong;
    const auto next = static_cast<float>(from_bits16(dtype, static_cast<std::uint16_t>(bits + 1)));
    const float half = std::isfinite(next) ? number + (next - number) / 2 : number;
    for (const float near : {number, half})
      for (const float to : {-INFINITY, near, INFINITY}) judge(std::nextafter(near, to));
  }
  return wrong;
}

TEST(KernelFunctions, HalfTypesAreReadAndRoundedAsTheirFormatsSay) {
  EXPECT_EQ(wrong_conversions<__half>(DType::f16), 0);
  EXPECT_EQ(wrong_conversions<__nv_bfloat16>(DType::bf16), 0);
}

TEST(KernelFunctions, ControlTheOtherHalfTypeIsWrong) {
  EXPECT_GT(wrong_conversions<__half>(DType::bf16), 0);
}

/// The largest error of Swish and of its slope against 113 bits, in units of u times the bound's
/// size: |swish| for the one, sigmoid (1 + |t| sigmoid(-t)) for the other.
template <class T>
double worst_swish_error(double u) {
  double worst = 0;
  for (int i = -4000; i <= 4000; ++i) {
    const T t = static_cast<T>(i) / T(64);
    const Wide exact(t);
    const Wide sigmoid = 1 / (1 + exp(-exact));
    const Wide other = 1 / (1 + exp(exact));
    const Wide slope = sigmoid * (1 + exact * other);
    const Wide size = sigmoid * (1 + abs(exact) * other);
    const Wide of_value = abs(Wide(swish(t)) - exact * sigmoid);
    if (i != 0) worst = std::max(worst, static_cast<double>(of_value / abs(exact * sigmoid)) / u);
    worst = std::max(worst, static_cast<double>(abs(Wide(swish_slope(t)) - slope) / size) / u);
  }
  return worst;
}

/// The value takes exp, 1 + e, the quotient and the product: 4 u. The slope has two quotients of
/// such (3 u each), two products and a sum: 9 u. That is the first order; one more is for the rest.
constexpr double kSwishBound = 10;

TEST(KernelFunctions, SwishIsAccurateInFloatAndDouble) {
  EXPECT_LE(worst_swish_error<float>(0x1p-24), kSwishBound);
  EXPECT_LE(worst_swish_error<double>(0x1p-53), kSwishBound);
}

TEST(KernelFunctions, ControlFloatIsNoDouble) {
  EXPECT_GT(worst_swish_error<float>(0x1p-53), kSwishBound);
}

}  // namespace
}  // namespace gradproof
