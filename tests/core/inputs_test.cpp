// SPDX-License-Identifier: Apache-2.0
#include "core/case/inputs.h"

#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/tensor/philox.h"
#include "tests/support/sample_schema.h"

namespace gradproof {
namespace {

Claim claim_of(const Case& c) {
  Claim claim;
  claim.extents = {{"rows", c.integer("rows")}, {"cols", c.integer("cols")}};
  const auto matrix = Layout::contiguous({claim.rows(), claim.cols()});
  claim.tensors = {{"x", Role::input, DType::f32, matrix},
                   {"weight", Role::parameter, DType::f32, Layout::contiguous({claim.cols()})},
                   {"dy", Role::cotangent, DType::f32, matrix},
                   {"y", Role::output, DType::f32, matrix}};
  return claim;
}

Tensors inputs_of(const std::string& text, std::int64_t step = 0) {
  const Case c = parse_case(text, {sample_schema()});
  return make_inputs(c, claim_of(c), step);
}

/// Random123's known answers for philox4x32-10.
TEST(Philox, KnownAnswers) {
  const auto zero = philox({0, 0, 0, 0}, {0, 0});
  EXPECT_EQ(zero, (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  const auto full = philox({ones, ones, ones, ones}, {ones, ones});
  EXPECT_EQ(full, (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

/// Inversion is right when the normal distribution function of the normal gives the uniform back.
TEST(Stream, NormalInvertsTheDistributionFunction) {
  const Stream stream(3, "x");
  double worst = 0;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    const double u = stream.uniform(i);
    const double tail = std::min(u, 1 - u);
    const double z = -std::abs(stream.normal(i));
    worst = std::max(worst, std::abs(0.5 * std::erfc(-z / std::sqrt(2.0)) - tail) / tail);
  }
  // erfc's condition at |z| <= 5 is z^2 < 32 roundings; a wrong coefficient shows at 1e-9 and more.
  EXPECT_LT(worst, 64 * 0x1p-52);
}

/// Bits from one index on are those of each index, across the carry of a counter's word too, and a
/// chunk's place decides nothing. Every compilation gives the same to the last bit.
TEST(Stream, NumbersAtOnceAreThoseOfEachIndex) {
  constexpr std::size_t kCount = 1001;
  constexpr std::uint64_t kFirst = (std::uint64_t{1} << 32) - 500;
  const Stream stream(0x123456789, "x");
  std::vector<std::uint64_t> bits(kCount);
  std::vector<double> uniforms(kCount);
  std::vector<double> normals(kCount);
  stream.bits(kFirst, kCount, bits.data());
  stream.uniforms(kFirst, kCount, uniforms.data());
  stream.normals(kFirst, kCount, normals.data());
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(bits[i], stream.bits(kFirst + i)) << i;
    EXPECT_EQ(uniforms[i], stream.uniform(kFirst + i)) << i;
    EXPECT_EQ(normals[i], stream.normal(kFirst + i)) << i;
  }
}

TEST(Stream, EachCompilationGivesTheSameBits) {
  constexpr std::size_t kCount = 100003;
  const StreamKey key{{5, 7}, 11};
  std::vector<double> want(kCount);
  std::size_t compared = 0;
  for (const auto& compilation : stream_loop_compilations()) {
    if (!runs_here(compilation.set)) continue;
    const StreamLoops loops = compilation.make();
    std::vector<double> got(kCount);
    loops.normals(key, 3, kCount, got.data());
    if (compared++ == 0) want = got;
    EXPECT_EQ(std::memcmp(got.data(), want.data(), kCount * sizeof(double)), 0)
        << name_of(compilation.set);
    // Control: another key gives others.
    loops.normals({{5, 8}, 11}, 3, kCount, got.data());
    EXPECT_NE(std::memcmp(got.data(), want.data(), kCount * sizeof(double)), 0);
  }
  EXPECT_GE(compared, 1U);
}

TEST(Inputs, ArePureAndDifferBySeedStepAndName) {
  const Tensors a = inputs_of("sample rows=20 seed=5");
  const Tensors b = inputs_of("sample rows=20 seed=5");
  EXPECT_TRUE(same_bits(get(a, "x"), get(b, "x")));
  EXPECT_TRUE(same_bits(get(a, "dy"), get(b, "dy")));
  EXPECT_FALSE(same_bits(get(a, "x"), get(inputs_of("sample rows=20 seed=6"), "x")));
  EXPECT_FALSE(same_bits(get(a, "x"), get(inputs_of("sample rows=20 seed=5", 1), "x")));
  EXPECT_TRUE(same_bits(get(a, "weight"), get(inputs_of("sample rows=20 seed=5", 1), "weight")));
  EXPECT_FALSE(a.contains("y"));
}

TEST(Inputs, FirstElementsAreFrozen) {
  // A change of these bits changes every replay line ever printed.
  const Tensors t = inputs_of("sample");
  EXPECT_EQ(get(t, "x").at(0), 0x1.0f026cp+0);
  EXPECT_EQ(get(t, "weight").at(0), 0x1.a778f8p-1);
  EXPECT_EQ(get(t, "dy").at(0), 0x1.b9e35ep+0);
}

TEST(Inputs, OffsetPutsTheMeanWhereTheCaseSays) {
  const Tensors t = inputs_of("sample rows=1000 cols=2 fill=offset:1000");
  for (std::int64_t col = 0; col < 2; ++col) {
    double mean = 0;
    for (std::int64_t row = 0; row < 1000; ++row) mean += get(t, "x").at(row * 2 + col) / 1000;
    EXPECT_GT(std::abs(mean), 990);
    EXPECT_LT(std::abs(mean), 1510);
  }
}

TEST(Inputs, SetPlacesSingleElementsAndRefusesTheRest) {
  const Tensors t = inputs_of("sample set=x@3,1:0x1p3;dy@0,2:nan");
  EXPECT_EQ(get(t, "x").at(3 * 3 + 1), 8);
  EXPECT_TRUE(std::isnan(get(t, "dy").at(2)));
  EXPECT_THROW(inputs_of("sample set=x@5,0:1"), UsageError);
  EXPECT_THROW(inputs_of("sample set=q@0,0:1"), UsageError);
  EXPECT_THROW(inputs_of("sample set=x@0:1"), UsageError);
  EXPECT_THROW(inputs_of("sample set=x@0,0:one"), UsageError);
}

/// All of x and dy.
std::set<double> numbers_of(const std::string& text) {
  const Tensors t = inputs_of(text);
  std::set<double> all;
  for (const char* name : {"x", "dy"})
    for (std::int64_t i = 0; i < get(t, name).numel(); ++i) all.insert(get(t, name).at(i));
  return all;
}

TEST(Inputs, WholeAndDyadicNumbersAreExactAndAllThere) {
  std::set<double> whole, eighths;
  for (int k = -8; k <= 8; ++k) whole.insert(k);
  for (int k = -64; k <= 64; ++k) eighths.insert(k / 8.0);
  EXPECT_EQ(numbers_of("sample rows=1000 fill=integers dy=integers"), whole);
  EXPECT_EQ(numbers_of("sample rows=1000 fill=dyadic dy=dyadic"), eighths);
  EXPECT_EQ(numbers_of("sample fill=constant:3 dy=constant:-0.5"), (std::set<double>{3, -0.5}));
}

/// The bits of x's elements in order.
std::vector<std::uint32_t> patterns_of(const std::string& text, DType dtype, std::int64_t rows) {
  const Case c = parse_case(text, {sample_schema()});
  Claim claim = claim_of(c);
  claim.extents.at("rows") = rows;
  claim.tensors = {{"x", Role::input, dtype, Layout::contiguous({rows, claim.cols()})}};
  const Tensors t = make_inputs(c, claim);
  std::vector<std::uint32_t> patterns(static_cast<std::size_t>(get(t, "x").numel()));
  const std::size_t bytes = size_of(dtype);
  for (std::size_t i = 0; i < patterns.size(); ++i)
    std::memcpy(&patterns[i], get(t, "x").first() + i * bytes, bytes);
  return patterns;
}

TEST(Inputs, EveryPatternComesInItsTurn) {
  const std::vector<std::uint32_t> all =
      patterns_of("sample cols=4 fill=every", DType::f16, 65536 / 4);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
  const std::vector<std::uint32_t> last =
      patterns_of("sample cols=3 fill=every:4294967294.5", DType::f32, 1);
  EXPECT_EQ(last, (std::vector<std::uint32_t>{0xfffffffe, 0xffffffff, 0}));
  // The last of them is a signalling NaN, and stays one.
  const std::vector<std::uint32_t> nan =
      patterns_of("sample cols=3 fill=every:-32897", DType::bf16, 1);
  EXPECT_EQ(nan, (std::vector<std::uint32_t>{0x7f7f, 0x7f80, 0x7f81}));
}

}  // namespace
}  // namespace gradproof
