// SPDX-License-Identifier: Apache-2.0
// Explanations of wrong gradients. The tests compute these from the truth without code of the
// diagnosis.
#include <gtest/gtest.h>

#include "core/error.h"
#include "oracles/diagnosis/diagnose.h"
#include "tests/support/audit/diagnosis_support.h"

namespace gradproof::oracle_tests {
namespace {

class OfDType : public testing::TestWithParam<DType> {};

TEST_P(OfDType, AFactorIsNamed) {
  const Sufferer s(options_of(kChain, GetParam()), 1);
  for (const char* name : {"d_x", "d_weight", "d_beta", "d_bias"}) {
    const auto scaled = [&](double c) {
      return s.words(name, [&](std::int64_t i) { return c * s.truth(name, i); });
    };
    EXPECT_TRUE(begins(scaled(-2.5), "the number of divide, -2.5, is left out")) << scaled(-2.5);
    EXPECT_TRUE(begins(scaled(1 / -2.5), "the number of divide, -2.5, comes in once too often"))
        << scaled(1 / -2.5);
    EXPECT_TRUE(begins(scaled(2), "it is doubled")) << scaled(2);
    EXPECT_TRUE(begins(scaled(-1), "its sign is turned")) << scaled(-1);
    EXPECT_TRUE(begins(scaled(0), "missing altogether: 0")) << scaled(0);
    EXPECT_TRUE(begins(scaled(1.0 / 40), "it is divided by 40, the numbers along rows"))
        << scaled(1.0 / 40);
    if (GetParam() == DType::bf16) continue;  // 39/40 is within half an ulp or two of bfloat16
    EXPECT_TRUE(begins(scaled(40.0 / 39), "off by N/(N-1), N = 40")) << scaled(40.0 / 39);
  }
}

TEST_P(OfDType, AMissingTermOfTheNormIsNamed) {
  const Sufferer s(options_of(kChain, GetParam()), 2);
  const auto factor = [&](std::int64_t col) {
    return s.input("weight", col) * s.truth("rstd", col) / 40;
  };
  const auto mean = [&](std::int64_t i) { return factor(i % 12) * s.truth("d_beta", i % 12); };
  const auto xhat = [&](std::int64_t i) {
    return factor(i % 12) * s.truth("d_weight", i % 12) *
           (s.input("x", i) - s.truth("mean", i % 12)) * s.truth("rstd", i % 12);
  };
  const auto with = [&](double a, double b) {
    return s.words("d_x",
                   [&](std::int64_t i) { return s.truth("d_x", i) + a * mean(i) + b * xhat(i); });
  };
  EXPECT_TRUE(begins(with(1, 0), "batch_norm: the adjoint lacks the term of the mean"))
      << with(1, 0);
  EXPECT_TRUE(begins(with(0, 1), "batch_norm: the adjoint lacks the term of the deviation"))
      << with(0, 1);
  EXPECT_TRUE(begins(with(1, 1), "batch_norm: the adjoint takes mean and deviation for constants"))
      << with(1, 1);
  if (GetParam() == DType::bf16) return;
  // A term that no rule leaves out is still explained by what it is proportional to.
  EXPECT_TRUE(begins(with(0.3, 0), "the error is one number all along rows")) << with(0.3, 0);
  EXPECT_TRUE(begins(with(0, -0.7), "the error is proportional to xhat")) << with(0, -0.7);
  EXPECT_TRUE(begins(with(0.3, -0.7), "the error is a + b xhat")) << with(0.3, -0.7);
}

INSTANTIATE_TEST_SUITE_P(Storage, OfDType, testing::Values(DType::f32, DType::f64, DType::bf16),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST(Factor, OfAColumnIsNamed) {
  const Sufferer s(options_of(kChain), 3);
  const auto words = [&](const auto& factor) {
    return s.words("d_x", [&](std::int64_t i) { return factor(i % 12) * s.truth("d_x", i); });
  };
  const auto weight = [&](std::int64_t col) { return s.input("weight", col); };
  const auto without = [&](std::int64_t col) { return 1 / s.truth("rstd", col); };
  const auto own = [&](std::int64_t col) { return 1 + 0.1 * static_cast<double>(col + 1); };
  EXPECT_TRUE(begins(words(weight), "weight is multiplied in once too often")) << words(weight);
  EXPECT_TRUE(begins(words(without), "rstd is left out as a factor")) << words(without);
  EXPECT_TRUE(begins(words(own), "the error is a factor of its own all along rows")) << words(own);
}

TEST(Adjoint, WithASlopeTakenElsewhereIsNamed) {
  const Sufferer s(options_of("swish_bias"), 4);
  const auto slope_at = [](double z) {
    const double t = 1 / (1 + std::exp(-z));
    return t * (1 + z * (1 - t));
  };
  const std::string words = s.words("d_x", [&](std::int64_t i) {
    const double x = s.input("x", i);
    return s.input("dy", i) * slope_at(x / (1 + std::exp(-x)) + s.input("bias", i % 12));
  });
  EXPECT_TRUE(begins(words, "the derivative of silu is taken at the value behind bias, not at x"))
      << words;
  const std::string lacking = s.words(
      "d_x", [&](std::int64_t i) { return s.input("dy", i) / (1 + std::exp(-s.input("x", i))); });
  EXPECT_TRUE(begins(lacking, "silu: the derivative lacks its term x s (1 - s)"));
  const std::string squared = s.words("d_x", [&](std::int64_t i) {
    const double dy = s.input("dy", i);
    return dy * dy * slope_at(s.input("x", i));
  });
  EXPECT_TRUE(begins(squared, "dy is multiplied in twice")) << squared;
}

/// A fault in a function that both Swishes call.
TEST(Adjoint, OfEachSwishIsNamed) {
  const Sufferer s(options_of("swish_multiply_swish"), 19);
  const std::string words = s.words("d_x", [&](std::int64_t i) {
    const double x = s.input("x", i);
    const double sigmoid = 1 / (1 + std::exp(-x));
    const double m = s.input("multiply", i % 12);
    return s.input("dy", i) / (1 + std::exp(-m * x * sigmoid)) * m * sigmoid;
  });
  EXPECT_TRUE(begins(words, "each silu: the derivative lacks its term x s (1 - s)")) << words;
}

TEST(Product, OfOtherNumbersIsNamed) {
  const Sufferer s(options_of("bias_divide_swish"), 5);
  const std::string raw = s.words("d_bias", [&](std::int64_t col) {
    double sum = 0;
    for (std::int64_t row = 0; row < 40; ++row) sum += s.input("dy", row * 12 + col);
    return sum;
  });
  EXPECT_TRUE(begins(raw, "sums dy, not the cotangent behind bias")) << raw;

  const Sufferer m(options_of("swish_multiply_swish"), 5);
  const std::string without = m.words("d_multiply", [&](std::int64_t col) {
    double sum = 0;
    for (std::int64_t row = 0; row < 40; ++row) {
      const double x = m.input("x", row * 12 + col);
      sum += x / (1 + std::exp(-x));
    }
    return sum;
  });
  EXPECT_TRUE(begins(without, "the value behind the first silu is summed without its cotangent"))
      << without;
}

TEST(Text, OfAnotherOrderIsNamed) {
  const Sufferer s(options_of("swish_bias"), 6);
  Claim other = s.claim();
  other.graph = parse_graph("y = silu(bias(x, bias[cols]))");
  const Answers wrong = evaluate(other, s.inputs(), std::nullopt);
  for (const char* name : {"d_x", "d_bias"}) {
    const std::string words = s.words(
        name, [&](std::int64_t i) { return wrong.at(name).hi[static_cast<std::size_t>(i)]; });
    EXPECT_TRUE(begins(words, "bias stands in front of silu")) << name << " " << words;
  }
}

TEST(Numbers, OfAnotherPlaceAreNamed) {
  const Sufferer s(options_of("groupnorm_swish_multiply_swish"), 7);
  const auto words = [&](const std::string& input, const auto& change) {
    Tensors inputs = s.inputs();
    Tensor& tensor = inputs.at(input);
    const Tensor before = tensor;
    for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, before.at(change(i)));
    const Answers wrong = evaluate(s.claim(), inputs, s.given());
    return s.words("d_x",
                   [&](std::int64_t i) { return wrong.at("d_x").hi[static_cast<std::size_t>(i)]; });
  };
  const std::string first = words("beta", [](std::int64_t) { return 0; });
  EXPECT_TRUE(begins(first, "the first number of beta is taken for all of it")) << first;
  const std::string group = words("weight", [](std::int64_t i) { return i / 4; });
  EXPECT_TRUE(begins(group, "weight is read by group, not by channel")) << group;
  const std::string row = words("dy", [](std::int64_t i) { return i % 12; });
  EXPECT_TRUE(begins(row, "dy at 0 of rows is taken for all of it")) << row;
}

TEST(UnitSums, OverSomeRowsAreNamed) {
  const Sufferer s(options_of("swish_bias"), 8);
  const auto words = [&](const auto& has) {
    return s.words("d_bias", [&](std::int64_t col) {
      double sum = 0;
      for (std::int64_t row = 0; row < 40; ++row)
        sum += has(row) ? s.input("dy", row * 12 + col) : 0;
      return sum;
    });
  };
  const std::string first = words([](std::int64_t row) { return row < 32; });
  EXPECT_TRUE(begins(first, "summed over the first 32 of 40 rows alone")) << first;
  const std::string last = words([](std::int64_t row) { return row >= 7; });
  EXPECT_TRUE(begins(last, "summed over rows from 7 on alone")) << last;
  const std::string third = words([](std::int64_t row) { return row % 8 == 3; });
  EXPECT_TRUE(begins(third, "summed over rows 3, 11, ... alone")) << third;
  const std::string one = words([](std::int64_t row) { return row != 17; });
  EXPECT_TRUE(begins(one, "summed over all rows but number 17 of rows")) << one;
}

TEST(Memory, ThatWasMisusedIsNamed) {
  const Sufferer s(options_of("swish_bias"), 9);
  Tensor got = s.right("d_x");
  for (std::int64_t i = 5; i < got.numel(); i += 12)
    std::fill_n(got.bytes().begin() + i * 4, 4, std::byte{0xFF});
  EXPECT_TRUE(begins(s.words_of("d_x", got), "never written")) << s.words_of("d_x", got);

  for (std::int64_t i = 5; i < got.numel(); i += 12)
    got.bytes()[static_cast<std::size_t>(i * 4 + 3)] = std::byte{0x7F};
  EXPECT_TRUE(begins(s.words_of("d_x", got), "never written")) << s.words_of("d_x", got);
  for (std::int64_t i = 5; i < got.numel(); i += 12)
    got.bytes()[static_cast<std::size_t>(i * 4)] = std::byte{0};
  EXPECT_FALSE(begins(s.words_of("d_x", got), "never written")) << "any other NaN";

  const std::string next =
      s.words("d_x", [&](std::int64_t i) { return s.truth("d_x", i % 12 == 11 ? i : i + 1); });
  EXPECT_TRUE(
      begins(next, "every wrong entry holds the right number of the place behind it along cols"))
      << next;

  const std::string half =
      s.words("d_bias", [&](std::int64_t i) { return round_to(DType::f16, s.truth("d_bias", i)); });
  EXPECT_TRUE(begins(half, "rounded to f16 on the way")) << half;
}

TEST(Fault, OfSomeRowsIsNamedThere) {
  const Sufferer s(options_of(kChain), 10);
  const Tensor got = s.rounded(
      "d_x", [&](std::int64_t i) { return (i / 12 < 32 ? 1 : -2.5) * s.truth("d_x", i); });
  const std::string words = s.words_of("d_x", got);
  EXPECT_TRUE(begins(words, "the number of divide, -2.5, is left out, in the wrong entries alone"))
      << words;
}

TEST(Diagnose, SaysNothingOfATensorThatTheGraphLacks) {
  const Sufferer s(options_of(kChain), 11);
  EXPECT_EQ(s.words_of("d_nobody", s.right("d_x")), "");
}

}  // namespace
}  // namespace gradproof::oracle_tests
