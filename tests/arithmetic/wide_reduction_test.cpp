// SPDX-License-Identifier: Apache-2.0
// Sums and statistics over packs of double-doubles and triple-doubles: errors as the additions'
// make them, and the last pack's pads left out.
#include "tests/arithmetic/wide_draws.h"

namespace gradproof::oracle_tests {
namespace {

constexpr std::int64_t kLongest = 70;

struct Drawn {
  std::vector<double> x;
  std::vector<double> y;
};

Drawn drawn_numbers(Draw& draw, std::int64_t count) {
  Drawn d;
  for (std::int64_t i = 0; i < count; ++i) {
    d.x.push_back(100 + draw.normal());
    d.y.push_back(draw.normal() * std::exp2(static_cast<double>(draw.below(60)) - 30));
  }
  return d;
}

struct Allowed {
  Hundred value;
  Hundred error;
};

/// Numbers of one unit at 100 digits, each with the error that its operations may leave.
struct Expected {
  Allowed sum, dot, mean, variance;

  /// A sum of n terms in any order: every addition errs by `sum` units of at most twice the sum of
  /// the terms' sizes.
  Expected(const Drawn& d, const WideErrors& errors) {
    const auto n = static_cast<double>(d.x.size());
    const Hundred added = Hundred(2 * errors.sum * errors.unit) * n;
    Hundred total(0), sizes(0), product_total(0), product_sizes(0), squares(0);
    for (std::size_t i = 0; i < d.x.size(); ++i) {
      const Hundred product = Hundred(d.x[i]) * Hundred(d.y[i]);
      total += d.x[i];
      sizes += std::fabs(d.x[i]);
      product_total += product;
      product_sizes += abs(product);
    }
    sum = {total, sizes * added};
    dot = {product_total, product_sizes * (added + errors.product * errors.unit)};
    const Hundred center = total / n;
    mean = {center, sum.error / n + abs(center) * errors.quotient_by_double * errors.unit};
    // d = x - mean errs by e; d^2 by 2 |d| e and its product.
    Hundred inherited(0);
    for (const double x : d.x) {
      const Hundred difference = Hundred(x) - center;
      const Hundred e =
          mean.error + (std::fabs(x) + abs(center)) * Hundred(errors.sum * errors.unit);
      squares += difference * difference;
      inherited += 2 * abs(difference) * e + e * e;
    }
    const Hundred own = added + (errors.product + errors.quotient_by_double) * errors.unit;
    variance = {squares / n, inherited / n + squares / n * own};
  }
};

class WideReduced : public testing::TestWithParam<WideKind> {};

TEST_P(WideReduced, ErrAsTheirAdditionsDo) {
  Draw draw(3);
  std::int64_t shortened = 0;
  for (std::int64_t n = 1; n <= kLongest; ++n) {
    const Drawn d = drawn_numbers(draw, n);
    const Expected expected(d, GetParam().errors());
    const WideReductions got =
        GetParam().unit.reduced(d.x.data(), d.y.data(), n, 0x1p-10, GetParam().triple);
    const auto meets = [](const Wide& wide, const Allowed& allowed) {
      return abs(number(wide) - allowed.value) <= allowed.error;
    };
    EXPECT_TRUE(meets(got.sum, expected.sum)) << n;
    EXPECT_TRUE(meets(got.dot, expected.dot)) << n;
    EXPECT_TRUE(meets(got.mean, expected.mean)) << n;
    EXPECT_TRUE(meets(got.variance, expected.variance)) << n;
    shortened += !meets(GetParam().shortened(got.dot), expected.dot);
    const WideReductions one_less =
        GetParam().unit.reduced(d.x.data(), d.y.data(), n - 1, 0x1p-10, GetParam().triple);
    if (n > 1) {
      EXPECT_FALSE(meets(one_less.sum, expected.sum)) << n << ": the control";
    }
    EXPECT_LT(std::fabs(got.rstd.hi * std::sqrt(got.variance.hi + 0x1p-10) - 1), 8 * kUnit) << n;
  }
  EXPECT_GT(shortened, kLongest / 2) << "the control: a sum without its lowest part passes";
}

INSTANTIATE_TEST_SUITE_P(All, WideReduced, testing::ValuesIn(wide_kinds()), kind_name);

}  // namespace
}  // namespace gradproof::oracle_tests
