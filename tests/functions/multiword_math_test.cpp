// SPDX-License-Identifier: Apache-2.0
// The scalar functions in double-double against MPFR's at 50 digits.
#include "oracles/functions/multiword_math.h"

#include <gtest/gtest.h>

#include "core/tensor/philox.h"

namespace gradproof {
namespace {

/// The approximate relative error of one operation.
template <class V>
inline constexpr double kUnitOf = kDoubles<V> == 2 ? 0x1p-104 : 0x1p-156;

/// Largest relative error over arguments of either sign and many sizes, in units of the arithmetic.
template <class V, class Function>
double worst(const Function& function, double least, double most, bool negative) {
  const Stream stream(1, "arguments");
  double result = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double size = std::exp(std::log(least) + stream.uniform(2 * i) * std::log(most / least));
    const double hi = negative && i % 2 == 1 ? -size : size;
    const V x = V(hi) + V(hi * 0x1p-54 * stream.uniform(2 * i + 1));
    const Real exact = function(real_of(x));
    const Real error = abs(Real((real_of(function(x)) - exact) / exact));
    result = std::max(result, error.convert_to<double>() / kUnitOf<V>);
  }
  return result;
}

/// Half as many digits would be an error of 2^50 units; a lost term of a series or an iteration too
/// few costs 2^20 and more. The functions take up to 150 roundings in a row.
constexpr double kRoundings = 150;

template <class V>
class WordFunctions : public testing::Test {};
using Arithmetics = testing::Types<DoubledOf<double>, TripledOf<double>>;
TYPED_TEST_SUITE(WordFunctions, Arithmetics);

TYPED_TEST(WordFunctions, KeepTheDigitsOfTheirArithmetic) {
  using V = TypeParam;
  EXPECT_LT(worst<V>([](const auto& x) { return expm1(x); }, 1e-20, 30, true), kRoundings);
  EXPECT_LT(worst<V>([](const auto& x) { return log1p(x); }, 1e-20, 0.9, true), kRoundings);
  EXPECT_LT(worst<V>([](const auto& x) { return log(x); }, 1e-280, 1e280, false), kRoundings);
  EXPECT_LT(worst<V>([](const auto& x) { return log(x); }, 0.5, 2, false), kRoundings);
  EXPECT_LT(worst<V>([](const auto& x) { return tanh(x); }, 1e-20, 40, true), kRoundings);
  EXPECT_LT(worst<V>([](const auto& x) { return erf(x); }, 1e-20, 15, true), kRoundings);
}

TYPED_TEST(WordFunctions, DoublesAreNoSubstitute) {
  const auto rounded = [](const auto& x) {
    if constexpr (WideNumber<std::decay_t<decltype(x)>>)
      return TypeParam(std::expm1(x.hi));
    else
      return expm1(x);
  };
  EXPECT_GT(worst<TypeParam>(rounded, 1e-20, 30, true), kRoundings * 0x1p20);
}

}  // namespace
}  // namespace gradproof
