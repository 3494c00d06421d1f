// SPDX-License-Identifier: Apache-2.0
// The shares of a tie sum to the cotangent: each may be all of it or none, their sum may not.
#include <cmath>
#include <string>

#include "tests/graph/tied.h"

namespace gradproof {
namespace {

Tied of_max(const std::string& keys = "") {
  Tied tied("{y = max(x, cols)} rows=4 cols=8 dy=normal seed=3" + keys);
  return tied.with("x", 8 + 3, 9).with("x", 8 + 5, 9);
}

TEST(Ties, EverySharingOfOneCotangentIsRight) {
  for (const char* keys : {"", " dtype=f64", " dtype=f16", " dtype=bf16"}) {
    Tied tied = of_max(keys);
    EXPECT_EQ(tied.wrong(), "") << "LibTorch's halves" << keys;
    const double dy = tied.input("dy", 1);
    for (const double share : {0.0, 0.25, 1.0})
      EXPECT_EQ(tied.answers("d_x", 11, share * dy).answers("d_x", 13, (1 - share) * dy).wrong(),
                "")
          << share << keys;
  }
}

/// The usual bug is d_x = dy where x = max(x).
TEST(Ties, TwiceTheCotangentIsWrong) {
  for (const char* keys : {"", " dtype=f64", " dtype=f16", " dtype=bf16"}) {
    Tied tied = of_max(keys);
    const double dy = tied.input("dy", 1);
    EXPECT_EQ(tied.answers("d_x", 11, dy).answers("d_x", 13, dy).wrong(),
              "the shares of a tie sum to 2 dy: d_x at [1,3], d_x at [1,5]")
        << keys;
    EXPECT_EQ(tied.answers("d_x", 11, 0).answers("d_x", 13, 0).wrong(),
              "the shares of a tie sum to 0 dy: d_x at [1,3], d_x at [1,5]")
        << keys;
  }
}

/// Rows 1 and 2 have the same maximum, so each of the three largest numbers has half of the
/// cotangent or a quarter: a choice among made numbers shares too, and nothing is said.
TEST(Ties, NothingIsSaidWhereAMadeNumberTiesBehind) {
  Tied tied("{v = max(x, cols); y = max(v, rows)} rows=4 cols=8 dy=normal seed=3");
  tied.with("x", 8 + 3, 9).with("x", 8 + 5, 9).with("x", 16 + 1, 9);
  EXPECT_EQ(tied.wrong(), "");
}

/// One tie stands in a thousand rows, and its cotangent is smaller than the others.
TEST(Ties, OneTieAmongManyRowsIsFound) {
  Tied tied("{y = min(x, cols)} rows=1000 cols=16 dy=normal seed=3");
  tied.with("x", 700 * 16 + 1, -9).with("x", 700 * 16 + 2, -9).with("dy", 700, 1e-3);
  EXPECT_EQ(tied.wrong(), "");
  tied.answers("d_x", 700 * 16 + 1, 1e-3);
  EXPECT_EQ(tied.wrong(), "the shares of a tie sum to 1.5 dy: d_x at [700,1], d_x at [700,2]");
}

TEST(Ties, AllEqualNumbersShareOneCotangent) {
  for (const char* keys : {"", " dtype=f16", " dtype=bf16"}) {
    Tied tied(std::string("{y = max(x, cols)} rows=2 cols=600 dy=normal seed=3") + keys);
    for (std::int64_t i = 0; i < 600; i += 2) tied.with("x", i, 9);
    EXPECT_EQ(tied.wrong(), "") << keys;
    const double share = tied.input("dy", 0) / 250;
    for (std::int64_t i = 0; i < 600; i += 2) tied.answers("d_x", i, share);
    EXPECT_NE(tied.wrong(), "") << keys << ": 1.2 dy";
  }
}

TEST(Ties, TwoTensorsShareTheCotangentOfAMaximum) {
  for (const char* stage : {"maximum", "minimum"}) {
    Tied tied(std::string("{y = ") + stage + "(x, z)} rows=2 cols=4 dy=normal seed=3");
    tied.with("x", 5, 0.5).with("z", 5, 0.5);
    EXPECT_EQ(tied.wrong(), "");
    const double dy = tied.input("dy", 5);
    EXPECT_EQ(tied.answers("d_x", 5, dy).answers("d_z", 5, 0).wrong(), "");
    tied.answers("d_z", 5, dy);
    const std::string text = "the shares of a tie sum to 2 dy: d_x at [1,1], d_z at [1,1]";
    EXPECT_EQ(tied.wrong(), text);
    EXPECT_EQ(tied.wrong("d_z"), text);
  }
}

/// z[cols] is tied in two rows: the gradient that it gets from the other rows is known too.
TEST(Ties, ASharedOperandIsPartOfItsTies) {
  Tied tied("{y = maximum(x, z[cols])} rows=5 cols=4 dy=normal seed=3");
  tied.with("z", 1, 0.5).with("x", 1, 0.5).with("x", 9, 0.5);
  EXPECT_EQ(tied.wrong(), "");
  tied.answers("d_x", 1, tied.input("dy", 1));
  EXPECT_NE(tied.wrong(), "");
}

TEST(Ties, OfWindowsThatOverlap) {
  Tied tied("{y = max_pool(x[n,c,h,w], window=3, stride=1)} n=2 c=2 h=5 w=5 dy=normal seed=3");
  tied.with("x", 11, 9).with("x", 12, 9).with("x", 13, 9);
  EXPECT_EQ(tied.wrong(), "") << "LibTorch takes one of them";
  const double all = tied.got("d_x").at(11) + tied.got("d_x").at(12) + tied.got("d_x").at(13);
  for (const std::int64_t i : {11, 12, 13}) tied.answers("d_x", i, all / 3);
  EXPECT_EQ(tied.wrong(), "");
  tied.answers("d_x", 12, all / 3 + 0.1);
  EXPECT_NE(tied.wrong(), "");
}

/// The gradients that other steps give the tied numbers are known as well.
TEST(Ties, BesideOtherUses) {
  Tied tied("{y = max(x, cols); z = exp(x); v = min(x, rows)} rows=4 cols=8 dy=normal seed=3");
  tied.with("x", 11, 2).with("x", 13, 2);
  EXPECT_EQ(tied.wrong(), "");
  const double dy = tied.input("dy", 1);
  tied.answers("d_x", 11, tied.got("d_x").at(11) + dy / 2);
  EXPECT_NE(tied.wrong(), "");
}

/// The graph has more numbers than one block, and is cut in segments.
TEST(Ties, OverSegments) {
  Tied tied("{y = max(x, cols); z = sum(x, rows)} rows=192 cols=256 dy=normal seed=3");
  tied.with("x", 256 + 3, 9).with("x", 256 + 5, 9);
  EXPECT_EQ(tied.wrong(), "");
  tied.answers("d_x", 256 + 3, tied.got("d_x").at(256 + 3) + tied.input("dy", 1) / 2);
  EXPECT_NE(tied.wrong(), "");
}

/// Infinities have an open class.
TEST(Ties, NothingIsSaidOfInfinities) {
  Tied of_infinities("{y = max(x, cols)} rows=1 cols=4 dy=normal seed=3");
  of_infinities.with("x", 1, INFINITY).with("x", 2, INFINITY);
  EXPECT_EQ(of_infinities.answers("d_x", 1, 0).answers("d_x", 2, 0).wrong(), "");
}

}  // namespace
}  // namespace gradproof
