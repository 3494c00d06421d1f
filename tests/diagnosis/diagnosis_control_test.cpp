// SPDX-License-Identifier: Apache-2.0
// Controls of the diagnosis: right gradients, noise, near misses and few wrong entries must not get
// an explanation.
#include <gtest/gtest.h>

#include "core/tensor/dtype.h"
#include "tests/support/audit/diagnosis_support.h"

namespace gradproof::oracle_tests {
namespace {

TEST(Control, ARightGradientHasNothingWrong) {
  for (const std::string& system : system_names()) {
    const Sufferer s(options_of(system), 12);
    for (const TensorSpec& spec : s.claim().tensors) {
      if (spec.role != Role::gradient) continue;
      EXPECT_EQ(s.words_of(spec.name, s.right(spec.name)), "") << system << " " << spec.name;
    }
  }
}

TEST(Control, NoiseIsNotExplained) {
  for (const std::string& system : system_names())
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const Sufferer s(options_of(system, dtype), 13);
      const Stream stream(14, "noise");
      for (const TensorSpec& spec : s.claim().tensors) {
        if (spec.role != Role::gradient) continue;
        const std::string words = s.words(spec.name, [&](std::int64_t i) {
          return s.truth(spec.name, i) * (1 + stream.normal(static_cast<std::uint64_t>(i)));
        });
        EXPECT_EQ(words, "") << system << " " << spec.name;
      }
    }
}

TEST(Control, ANearMissIsNotNamed) {
  const Sufferer s(options_of(kChain), 15);
  for (const char* name : {"d_x", "d_weight"})
    for (const double c : {-2.5 * 1.001, 1 / -2.5 * 1.001, 40.0 / 39 * 1.0001, 1.999}) {
      const std::string words = s.words(name, [&](std::int64_t i) { return c * s.truth(name, i); });
      EXPECT_TRUE(begins(words, "off by one factor, ")) << name << " " << words;
    }
  const std::string mean = s.words("d_x", [&](std::int64_t i) {
    const std::int64_t col = i % 12;
    return s.truth("d_x", i) +
           1.001 * s.input("weight", col) * s.truth("rstd", col) * s.truth("d_beta", col) / 40;
  });
  EXPECT_EQ(mean.find("lacks the term"), std::string::npos) << mean;
}

/// If xhat is 0 (a group has one channel), both rules give the same numbers, and both are named.
TEST(Control, OfTwoThatFitNoneIsToldAlone) {
  ClaimOptions o = options_of("swish_bias_groupnorm");
  o.groups = o.cols;
  const Sufferer s(o, 18);
  const std::string words = s.words("d_bias", [&](std::int64_t col) {
    double sum = 0;  // the norm's terms are left in
    for (std::int64_t row = 0; row < o.rows; ++row)
      sum += s.input("dy", row * o.cols + col) * s.truth("rstd", row * o.cols + col);
    return sum * s.input("weight", col);
  });
  EXPECT_TRUE(begins(words,
                     "group_norm: the adjoint lacks the term of the mean, mean(g); or: group_norm: "
                     "the adjoint takes "))
      << words;
  EXPECT_NE(words.find("; each explains all 12 wrong entries"), std::string::npos) << words;

  const Sufferer own(options_of("swish_bias_groupnorm"), 18);  // the control: here they differ
  const std::string alone = own.words("d_bias", [&](std::int64_t col) {
    double sum = 0;
    for (std::int64_t row = 0; row < 40; ++row)
      sum += own.input("dy", row * 12 + col) * own.truth("rstd", row * 3 + col / 4);
    return sum * own.input("weight", col);
  });
  EXPECT_TRUE(begins(alone, "group_norm: the adjoint takes mean and deviation for constants"))
      << alone;
  EXPECT_EQ(alone.find("; or: "), std::string::npos) << alone;
}

/// Rounded sums of even chunks are named; sums of chunks of 7, 5, 7, ... rows get no explanation.
TEST(Control, OnlyEvenChunksAreNamed) {
  ClaimOptions o = options_of("groupnorm", DType::f16);
  o.rows = 120;
  o.cols = 960;
  o.groups = 240;
  const Sufferer s(o, 23);
  const auto words = [&](const auto& ends_a_chunk, bool rounded) {
    return s.words("d_weight", [&](std::int64_t col) {
      double sum = 0;
      double chunk = 0;
      for (std::int64_t row = 0; row < o.rows; ++row) {
        const std::int64_t i = row * o.cols + col;
        chunk +=
            s.input("dy", i) * (s.input("x", i) - s.truth("mean", i / 4)) * s.truth("rstd", i / 4);
        if (!ends_a_chunk(row)) continue;
        sum += rounded ? round_to(DType::f16, chunk) : chunk;
        chunk = 0;
      }
      return sum;
    });
  };
  const auto even = [](std::int64_t row) { return row % 20 == 19; };
  const auto uneven = [](std::int64_t row) { return row % 12 == 6 || row % 12 == 11; };
  EXPECT_TRUE(begins(words(even, true), "the sums of 6 chunks of 20 rows are rounded to f16;"))
      << words(even, true);
  EXPECT_EQ(words(even, false), "");
  EXPECT_EQ(words(uneven, true), "");
}

/// Periodic windows of rows are named; as many rows in irregular places are not.
TEST(Control, OnlyWindowsOfRowsAreNamed) {
  const Sufferer s(options_of("swish_bias"), 24);
  const auto words = [&](const auto& has) {
    return s.words("d_bias", [&](std::int64_t col) {
      double sum = 0;
      for (std::int64_t row = 0; row < 40; ++row)
        sum += has(row) ? s.input("dy", row * 12 + col) : 0;
      return sum;
    });
  };
  const std::string window = words([](std::int64_t row) { return row % 16 < 8; });
  EXPECT_TRUE(begins(window, "summed over rows 0 to 7 of each 16 alone")) << window;
  EXPECT_EQ(words([](std::int64_t row) { return row * row % 11 < 4; }), "");
}

/// One or two entries are a multiple of anything: chance hits are at most one in 50 draws.
TEST(Control, FewEntriesAreNotOverExplained) {
  int named = 0;
  int draws = 0;
  for (const DType dtype : {DType::f32, DType::bf16})
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      ClaimOptions o = options_of("bias_divide_swish", dtype);
      o.vector = VectorShape::one;
      const Sufferer s(o, 20 + seed);
      const double factor = 1.5 + Stream(seed, "factor").normal(0);
      named +=
          s.words("d_bias", [&](std::int64_t i) { return factor * s.truth("d_bias", i); }).empty()
              ? 0
              : 1;
      ++draws;
    }
  EXPECT_LE(named * 50, draws);
}

/// The control of the test above: a known factor is named for a single entry too.
TEST(Control, OneEntryIsExplainedByANamedNumber) {
  ClaimOptions o = options_of("bias_divide_swish");
  o.vector = VectorShape::one;
  const Sufferer s(o, 16);
  const std::string words =
      s.words("d_bias", [&](std::int64_t i) { return -2.5 * s.truth("d_bias", i); });
  EXPECT_TRUE(begins(words, "the number of divide, -2.5, is left out")) << words;
}

}  // namespace
}  // namespace gradproof::oracle_tests
