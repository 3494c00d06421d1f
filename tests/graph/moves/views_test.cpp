// SPDX-License-Identifier: Apache-2.0
// Stages that move numbers: LibTorch is right, one element off is wrong, and what their text may
// say.
#include <string>

#include <gtest/gtest.h>

#include "tests/graph/judged_line.h"

namespace gradproof {
namespace {

TEST(View, OfLibTorchIsWithinItsBound) {
  for (const char* line :
       {"{s = split(x[rows,cols], cols, heads, d, parts=4); y = softmax(s, d)} rows=3 cols=24",
        "{s = split(x[b,t,c], c, heads, d, parts=4); a = softmax(s, d); y = join(a, heads, d, c)} "
        "b=2 t=3 c=24",
        "{y = join(x[b,t,c], c, b, e)} b=2 t=3 c=4",
        "{g = slice(x[rows,cols], cols, d, count=8); u = slice(x, cols, d, from=8); "
        "y = swiglu(g, u)} rows=3 cols=16",
        "{s = slice(x[rows,cols], cols, from=1, step=3); y = exp(s)} rows=3 cols=16",
        "{y = select(x[t,d], t, at=-1)} t=5 d=7", "{y = select(x[t,d], d, at=2)} t=5 d=7",
        "{y = concat(a[rows,p], b[rows,q], p, q, cols)} rows=3 p=4 q=5",
        "{c = concat(a[rows,p], b[p,rows], p, cols); y = softmax(c, cols)} rows=3 p=4",
        "{y = flip(x[rows,cols], rows, cols)} rows=3 cols=5",
        "{y = roll(x[rows,cols], cols, shift=-7)} rows=3 cols=5",
        "{y = contract(a[i,k], rename(a, i, j), k)} i=4 k=6",
        "{y = diagonal(x[b,i,j], i, j, d)} b=2 i=4 j=4",
        "{y[cols,rows] = permute(x[rows,cols])} rows=3 cols=5",
        "{s = split(x[n,c,h,w], c, c2, r, parts=2); y[n,c2,h2,w] = join(s, h, r, h2)} n=2 c=6 h=3 "
        "w=4"})
    expect_judged(line);
}

TEST(View, PadsWithZerosOrWithItsOwnNumbers) {
  for (const char* mode : {"zeros", "reflect", "replicate", "circular"})
    expect_judged(std::string("{y = pad(square(x[b,t,d]), t, before=2, after=1, mode=") + mode +
                  ")} b=2 t=5 d=3");
  expect_judged(
      "{xp = pad(x[b,t,d], t, tp, before=1); prev = slice(xp, tp, t); y = subtract(x, prev)} b=2 "
      "t=5 d=3");
}

TEST(View, IsJudgedInBlocks) {
  for (const char* size : {"1", "7", "8", "17", "40"}) {
    expect_judged(std::string("{s = split(x[n,cols], cols, heads, d, parts=2); y = softmax(s, d)} "
                              "cols=6 n=") +
                  size);
    expect_judged(std::string("{g = slice(x[cols,n], cols, d, count=3); u = slice(x, cols, d, "
                              "from=3); y = swiglu(g, u)} cols=6 n=") +
                  size);
  }
}

/// A mask of -Inf that is moved stays known.
TEST(View, OfAMaskKeepsIt) {
  expect_judged(
      "{m = slice(fixed(k[i,j], kind=causal), j, jj, count=4); s = add(x[i,jj], m); y = softmax(s, "
      "jj)} "
      "i=4 j=6 jj=4");
}

TEST(View, HoldsWhatWasStored) {
  const std::string head = "{a = tanh(x); ";
  const auto bound = [&](const std::string& line) {
    const Ran ran(line + "} rows=4 cols=8 dtype=bf16");
    return truths_of_graph(ran.claim, ran.inputs, "y", ran.got.at("y")).truths.at(3).bound;
  };
  EXPECT_EQ(bound(head + "y = neg(a)"), bound(head + "y = neg(rename(a, cols, d))"));
}

TEST(View, RefusesWhatDoesNotFit) {
  expect_error("{y = split(x[rows,cols], cols, h, d)}",
               "split needs parts=NUMBER, or 'h' or 'd' as an axis of a tensor");
  expect_error("{y = split(x[rows,cols], cols, h, d, parts=5)} cols=8",
               "split of 'y': axis 'cols' of 8 is not 5 times 1");
  expect_error("{y = split(x[rows,cols], cols, h, parts=2)}",
               "split names 1 axis that 'x' has, then 2 new ones; these are [cols,h], and it has "
               "[rows,cols]");
  expect_error("{y = split(x[rows,cols], cols, rows, d, parts=2)}", "split names 1 axis");
  expect_error("{y = slice(x[rows,cols], cols, from=6, count=3)} cols=8",
               "slice of 'y': 3 from 6 on leave axis 'cols' of 8");
  expect_error("{y = slice(x[rows,cols], cols, from=8)} cols=8",
               "slice of 'y': 0 from 8 on leave axis 'cols' of 8");
  expect_error("{y = select(x[rows,cols], cols, at=-9)} cols=8",
               "select of 'y': at=-9 is none of the 8 of axis 'cols'");
  expect_error("{y = select(x[rows,cols], cols)}", "select needs at=NUMBER");
  expect_error("{y = join(x[rows,cols], cols, all)}", "join names 2 or more axes");
  expect_error("{y = concat(a[rows,p], b[r2,q], p, q, cols)}",
               "concat of 'a' and 'b' has beside its axes [rows] and [r2]");
  expect_error("{y = pad(x[rows,cols], cols, before=8, mode=reflect)} cols=8",
               "pad of 'y': axis 'cols' of 8 cannot be padded by 8 with mode=reflect");
  expect_error("{y = diagonal(x[i,j], i, j, d)} i=3 j=4", "axis 'i' of 3 beside 'j' of 4");
  expect_error("{r = rename(x[i,k], i, j); y = add(r, z[j,k])} i=3 j=4",
               "rename of 'r': axis 'j' has 4, and its numbers are 3");
  expect_error("{s = split(x[rows,cols], cols, h, d, parts=2); y = sum(s, cols)}",
               "'cols' of sum is no axis of 's', which has [rows,h,d]");
}

TEST(View, PrintsWhatItReads) {
  for (const char* line :
       {"s = split(x[rows,cols], cols, heads, d, parts=4); y = softmax(s, d)",
        "y = slice(x[rows,cols], cols, cols.y, from=1)", "y[cols,rows] = permute(x[rows,cols])",
        "y = flip(x[rows,cols], rows, cols)"})
    EXPECT_EQ(to_string(parse_graph(line)), line);
}

}  // namespace
}  // namespace gradproof
