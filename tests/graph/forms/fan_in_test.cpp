// SPDX-License-Identifier: Apache-2.0
// A value that several steps take has a sum for its cotangent, which may be added in any order.
#include <algorithm>
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "tests/graph/forms/simulated.h"

namespace gradproof {
namespace {

/// The terms that the steps give a tensor, each by element.
using FanInTerms = std::vector<Numbers<float>>;
using Rounding = std::function<float(float)>;

float unrounded(float v) { return v; }
Rounding to_type(DType type) {
  return [type](float v) { return static_cast<float>(round_to(type, v)); };
}

Numbers<float> sum_of(const Numbers<float>& a, const Numbers<float>& b, const Rounding& round) {
  Numbers<float> sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.push_back(round(a[i] + b[i]));
  return sum;
}

/// Calls visit(sum) for every order and every association of the additions.
void each_sum_of(const FanInTerms& terms, const Rounding& round,
                 const std::function<void(const Numbers<float>&)>& visit) {
  if (terms.size() == 1) return visit(terms.front());
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      FanInTerms rest;
      for (std::size_t k = 0; k < terms.size(); ++k)
        if (k != i && k != j) rest.push_back(terms[k]);
      rest.push_back(sum_of(terms[i], terms[j], round));
      each_sum_of(rest, round, visit);
    }
}

/// x is taken three times, in two steps.
constexpr const char* kThree = "{p = add(x, 1); q = add(x, x)} rows=16 cols=64 dy=normal seed=5";
FanInTerms three_terms(const Simulated<float>& s) {
  return {s.numbers("dp"), s.numbers("dq"), s.numbers("dq")};
}

std::int64_t bad_of(const Simulated<float>& s, const Numbers<float>& sum,
                    const std::string& contract = "", const std::string& target = "d_x") {
  return s.bad(contract, {{target, sum}}).at(target);
}

std::int64_t worst_of(const Simulated<float>& s, const FanInTerms& terms, const Rounding& round,
                      const std::string& contract = "", const std::string& target = "d_x") {
  std::int64_t worst = 0;
  each_sum_of(terms, round, [&](const Numbers<float>& sum) {
    worst = std::max(worst, bad_of(s, sum, contract, target));
  });
  return worst;
}

TEST(FanIn, EveryOrderOfThreeTermsIsRight) {
  const Simulated<float> s(kThree);
  EXPECT_EQ(worst_of(s, three_terms(s), unrounded), 0);
}

TEST(FanIn, EveryOrderAndAssociationOfFiveTermsIsRight) {
  const Simulated<float> s(
      "{p = add(x, 1); q = add(x, x); r = subtract(2, x); t = add(x, 3)} rows=4 cols=32 "
      "dy=normal seed=5");
  Numbers<float> negated = s.numbers("dr");
  for (float& v : negated) v = -v;
  const FanInTerms terms{s.numbers("dp"), s.numbers("dq"), s.numbers("dq"), negated,
                         s.numbers("dt")};
  EXPECT_EQ(worst_of(s, terms, unrounded), 0);
}

/// A step made the value, and its cotangent goes on through that step.
TEST(FanIn, EveryOrderOfAMadeValueIsRight) {
  const Simulated<float> s(
      "{v = add(x, 1); p = add(v, 1); q = add(v, v)} rows=16 cols=64 dy=normal seed=5");
  EXPECT_EQ(worst_of(s, three_terms(s), unrounded), 0);
}

/// Operators of 16 bits store each sum of cotangents.
TEST(FanIn, EveryOrderOfStoredSumsIsRight) {
  for (const DType type : {DType::f16, DType::bf16}) {
    const Simulated<float> s(std::string(kThree) + " dtype=" + std::string(name_of(type)));
    EXPECT_EQ(worst_of(s, three_terms(s), to_type(type), "stored=all"), 0) << name_of(type);
    EXPECT_GT(worst_of(s, three_terms(s), to_type(type), "stored=outputs"), 0)
        << name_of(type) << ": a sum in float32 has one rounding";
  }
}

/// One of the partial sums, 1.2e5, is an infinity in float16.
TEST(FanIn, AStoredPartialSumMayLeaveTheRange) {
  Simulated<float> s("{p = add(x, 1); q = add(x, x)} rows=1 cols=2 dtype=f16");
  s.set("dp", {-60000.0F, 1.0F});
  s.set("dq", {60000.0F, 1.0F});
  const Numbers<float> overflowed{HUGE_VALF, 3.0F};
  EXPECT_EQ(bad_of(s, overflowed, "stored=all"), 0);
  EXPECT_EQ(bad_of(s, overflowed, "stored=outputs"), 1);
  EXPECT_EQ(bad_of(s, {HUGE_VALF, HUGE_VALF}, "stored=all"), 1);
}

/// The terms are sums over rows, whose parts come from blocks.
TEST(FanIn, EveryOrderOfSummedTermsIsRight) {
  const Simulated<float> s(
      "{p = add(x, b[cols]); q = add(x, b); r = add(x, b); t = add(x, b)} rows=64 cols=5 "
      "dy=normal seed=3");
  FanInTerms terms;
  for (const char* name : {"dp", "dq", "dr", "dt"}) {
    const Numbers<float> dy = s.numbers(name);
    Numbers<float> sums(5);
    for (std::size_t i = 0; i < dy.size(); ++i) sums[i % 5] += dy[i];
    terms.push_back(sums);
  }
  EXPECT_EQ(worst_of(s, terms, unrounded, "sums=any", "d_b"), 0);
  terms.pop_back();
  EXPECT_GT(worst_of(s, terms, unrounded, "sums=any", "d_b"), 0) << "one use is missing";
}

/// A tensor that has no axis of blocks gets a gradient by element, and as a sum.
TEST(FanIn, EveryOrderOfElementsAndSumsIsRight) {
  const Simulated<float> s(
      "{p = add(x, b[cols]); m = max(p, rows, cols); q = add(b, 1); r = add(b, 2)} rows=1 cols=64 "
      "dy=normal seed=3");
  Numbers<float> through(64);
  const Numbers<float> x = s.numbers("x");
  const Numbers<float> b = s.numbers("b");
  std::size_t largest = 0;
  for (std::size_t i = 0; i < 64; ++i)
    if (x[i] + b[i] > x[largest] + b[largest]) largest = i;
  through[largest] = s.numbers("dm")[0];
  const FanInTerms terms{through, s.numbers("dq"), s.numbers("dr")};
  EXPECT_EQ(worst_of(s, terms, unrounded, "", "d_b"), 0);
}

/// The graph is cut where its coupling changes: x has terms from both sides.
TEST(FanIn, EveryOrderOverSegmentsIsRight) {
  const Simulated<float> s(
      "{p = sum(x, rows); q = sum(x, cols); r = add(x, 1); t = add(x, x)} rows=192 cols=256 "
      "dy=normal seed=3");
  Numbers<float> of_rows;
  Numbers<float> of_cols;
  for (std::size_t i = 0; i < 192 * 256; ++i) {
    of_rows.push_back(s.numbers("dp")[i % 256]);
    of_cols.push_back(s.numbers("dq")[i / 256]);
  }
  const FanInTerms terms{of_rows, of_cols, s.numbers("dr"), s.numbers("dt"), s.numbers("dt")};
  Numbers<float> backwards = terms[4];
  Numbers<float> pairs = sum_of(terms[0], terms[2], unrounded);
  for (std::size_t k = 4; k-- > 0;) backwards = sum_of(backwards, terms[k], unrounded);
  pairs =
      sum_of(pairs, sum_of(terms[1], sum_of(terms[3], terms[4], unrounded), unrounded), unrounded);
  EXPECT_EQ(bad_of(s, backwards), 0);
  EXPECT_EQ(bad_of(s, pairs), 0);
  EXPECT_GT(bad_of(s, sum_of(backwards, terms[3], unrounded)), 40'000) << "one term is doubled";
}

/// The control: a term that is missing or doubled is found in nearly every element.
TEST(FanIn, AMissingAndADoubledTermAreFound) {
  const Simulated<float> s(kThree);
  FanInTerms terms = three_terms(s);
  FanInTerms doubled = terms;
  doubled.push_back(terms[0]);
  terms.pop_back();
  each_sum_of(terms, unrounded,
              [&](const Numbers<float>& sum) { EXPECT_GT(bad_of(s, sum), 1000); });
  each_sum_of(doubled, unrounded,
              [&](const Numbers<float>& sum) { EXPECT_GT(bad_of(s, sum), 1000); });
}

/// The other control: of two terms there is one order, and the bound is that of one addition.
TEST(FanIn, TwoTermsHaveOneRounding) {
  const Simulated<float> s("{p = add(x, 1); q = add(x, 2)} rows=16 cols=64 dy=normal seed=5");
  const Numbers<float> dp = s.numbers("dp");
  const Numbers<float> dq = s.numbers("dq");
  const std::vector<double> bounds = s.bounds("", "d_x");
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const double exact = std::abs(static_cast<double>(dp[i]) + static_cast<double>(dq[i]));
    EXPECT_LE(bounds[i], 0x1p-24 * exact * (1 + 0x1p-19));
    EXPECT_GE(bounds[i], 0x1p-24 * exact);
  }
}

}  // namespace
}  // namespace gradproof
