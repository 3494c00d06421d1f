// SPDX-License-Identifier: Apache-2.0
// Ties among numbers that steps made, and in front of choices among such.
#include <string>
#include <vector>

#include "tests/graph/tied.h"

namespace gradproof {
namespace {

/// Two numbers of x are alike and the largest: every sharing of what they get is right, twice it is
/// not.
void expect_shared(const std::string& line, double number, const std::string& tensor = "x") {
  Tied tied(line);
  tied.with(tensor, 1, number).with(tensor, 2, number);
  const std::string gradient = "d_" + tensor;
  EXPECT_EQ(tied.wrong(gradient), "") << "LibTorch's own, " << line;
  const double all = tied.got(gradient).at(1) + tied.got(gradient).at(2);
  for (const double share : {0.0, 0.25, 1.0})
    EXPECT_EQ(tied.answers(gradient, 1, share * all)
                  .answers(gradient, 2, (1 - share) * all)
                  .wrong(gradient),
              "")
        << share << " " << line;
  tied.answers(gradient, 1, all).answers(gradient, 2, all);
  EXPECT_NE(tied.wrong(gradient), "") << "twice, " << line;
  tied.answers(gradient, 1, 0).answers(gradient, 2, 0);
  EXPECT_NE(tied.wrong(gradient), "") << "none, " << line;
}

TEST(MadeTies, OfNumbersThatAreMadeInTheSameWay) {
  for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
    const std::string keys = " rows=1 cols=8 dy=normal seed=3 dtype=" + std::string(dtype);
    expect_shared("{y = max(exp(x), cols)}" + keys, 4);
    expect_shared("{y = min(neg(add(x, 0.5)), cols)}" + keys, 4);
    expect_shared("{y = max(multiply(x, x), cols)}" + keys, 6);
    expect_shared(
        "{y = max_pool(relu(x[n,cols]), cols, window=4)} n=1 cols=8 dy=normal seed=3 dtype=" +
            std::string(dtype),
        7);
    expect_shared("{y = max(add(relu(x), z), cols)}" + keys + " set=x@0,1:-1;x@0,2:-2", 9, "z");
  }
}

/// LibTorch's shares are right wherever its numbers meet: integers and multiples of 1/8 do often.
TEST(MadeTies, LibTorchIsRightOfManyMeetings) {
  const std::string rows = " rows=8 cols=24";
  const std::string windows = " n=8 cols=24";
  const std::vector<std::string> lines{
      "{y = max(exp(x), cols)}" + rows,
      "{y = max(multiply(x, x), cols)}" + rows,
      "{y = max(abs(x), cols)}" + rows,
      "{y = max(add(relu(x), z), cols)}" + rows,
      "{y = max(x, cols); z = max(y, rows)}" + rows,
      "{y = max(x, cols); z = exp(y); w = maximum(z, 1)}" + rows,
      "{y = max(silu(multiply(x, w[cols])), rows)}" + rows,
      "{y = max(tanh(subtract(x, m[rows])), cols)}" + rows,
      "{h = maximum(x, z); y = max(h, cols)}" + rows,
      "{y = max(relu(add(x, b[cols])), cols); v = exp(y)}" + rows,
      "{y = max(x, cols); z = subtract(x, y); w = max(z, cols)}" + rows,
      "{y = max_pool(relu(x[n,cols]), cols, window=4)}" + windows,
      "{y = max_pool(gelu(x[n,cols]), cols, window=3, stride=1)}" + windows};
  for (const std::string& line : lines)
    for (const char* dtype : {"f32", "f64", "f16", "bf16"})
      for (const char* fill : {"integers", "dyadic"}) {
        const Ran ran(line + " dy=normal seed=5 dtype=" + dtype + " fill=" + fill);
        for (const auto& [name, judged] : ran.judged())
          EXPECT_EQ(judged.wrong_shares, "") << name << " " << to_string(ran.c);
      }
}

/// Other numbers that may be the largest, and are made of others: then no sum is known.
TEST(MadeTies, NothingIsSaidOfNumbersThatOnlyMeet) {
  const auto twice = [](Tied tied) {
    const double all = tied.got("d_x").at(1) + tied.got("d_x").at(2);
    return tied.answers("d_x", 1, all).answers("d_x", 2, all).wrong();
  };
  const std::string keys = " rows=1 cols=4 dy=normal seed=3";
  Tied signs("{y = max(abs(x), cols)}" + keys);
  EXPECT_EQ(twice(signs.with("x", 1, 7).with("x", 2, 7).with("x", 3, -7)), "");
  Tied near("{y = max(sigmoid(x), cols)}" + keys);
  EXPECT_EQ(twice(near.with("x", 1, 7).with("x", 2, 7).with("x", 3, 7 - 0x1p-21)), "");
  // All that a relu makes of numbers below 0 is 0, and nothing goes back: that is no such meeting.
  Tied dead("{y = max(relu(x), cols)} rows=2 cols=4 dy=normal seed=3");
  for (const std::int64_t i : {4, 5, 6, 7}) dead.with("x", i, static_cast<double>(-i));
  EXPECT_NE(twice(dead.with("x", 1, 7).with("x", 2, 7)), "");
  Tied alone("{y = max(abs(x), cols)}" + keys);
  EXPECT_NE(twice(alone.with("x", 1, 7).with("x", 2, 7).with("x", 3, -6)), "") << "the control";
  Tied other_row("{y = max(abs(x), cols)} rows=2 cols=4 dy=normal seed=3");
  other_row.with("x", 5, 7).with("x", 6, -7);
  EXPECT_NE(twice(other_row.with("x", 1, 7).with("x", 2, 7)), "") << "another row does not matter";
}

/// A tie in front of a choice among what is made of it: where that one is decided, it is judged.
TEST(MadeTies, BeforeALaterChoice) {
  for (const char* later : {"max(y, rows)", "maximum(y, 0)", "min(exp(y), rows)"}) {
    Tied tied(std::string("{y = max(x, cols); z = ") + later + "} rows=2 cols=4 dy=normal seed=3");
    tied.with("x", 1, 7).with("x", 2, 7).with("x", 6, later[1] == 'i' ? 9 : 5);
    EXPECT_EQ(tied.wrong(), "") << later;
    tied.answers("d_x", 1, tied.got("d_x").at(1) * 2).answers("d_x", 2, tied.got("d_x").at(2) * 2);
    EXPECT_NE(tied.wrong(), "") << later;
  }
  Tied open("{y = max(x, cols); z = max(y, rows)} rows=2 cols=4 dy=normal seed=3");
  open.with("x", 1, 7).with("x", 2, 7).with("x", 6, 7);
  EXPECT_EQ(open.answers("d_x", 1, 0).answers("d_x", 2, 0).wrong(), "") << "its rows are tied too";
}

}  // namespace
}  // namespace gradproof
