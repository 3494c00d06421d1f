// SPDX-License-Identifier: Apache-2.0
// The errors of a norm's statistics are shared by the elements of one group alone: an adjoint that
// takes numbers of several groups may not let those of one cancel those of another.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// The bounds of d_x, as if nobody knew of shared errors: of each term its own.
std::vector<double> bounds_of(Ran& ran) {
  return truths_of_graph(ran.claim, ran.inputs, "d_x", ran.got.at("d_x")).truths.bound;
}

// With cos = sin = 1 and x2 = 0 both halves of (x1 - x2, x2 + x1) are x1. Of d_x1 = g1 + g2 and
// d_x2 = g2 - g1 with g1 = g2 the second is 0, and no nearer to its truth than the first: g1 and g2
// have 1/std of two groups.
TEST(SharedErrors, OfTwoGroupsDoNotCancelInARotation) {
  Ran ran(
      "{v = rotary(x[rows,cols], c, s); y = group_norm(v, groups=2)} rows=3 cols=8 dtype=f32 "
      "seed=4");
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t k = 0; k < 8; ++k) {
      for (const char* one : {"c", "s"}) ran.inputs.at(one).set(8 * row + k, 1);
      if (k < 4) continue;
      ran.inputs.at("x").set(8 * row + k, 0);
      ran.inputs.at("dy").set(8 * row + k, ran.inputs.at("dy").at(8 * row + k - 4));
    }
  const std::vector<double> bounds = bounds_of(ran);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (i % 8 >= 4) continue;
    EXPECT_NEAR(bounds[i + 4] / bounds[i], 1, 0.2) << i;
  }
}

// All rows of an image are alike, and their cotangents opposite: the middle row's gradients, each
// of two rows of windows, are 0. Each row of windows has a 1/std of its own, so that what they may
// be off adds up.
TEST(SharedErrors, OfTwoGroupsDoNotCancelInWindows) {
  Ran ran(
      "{v = avg_pool(x[n,c,h,w], window=2, stride=1); y = layer_norm(v, w.v)} n=2 c=2 h=3 w=9 "
      "dtype=f32 seed=2");
  const std::int64_t width = 9;
  for (std::int64_t i = 0; i < ran.inputs.at("x").numel(); ++i)
    ran.inputs.at("x").set(i, static_cast<double>(i % width * (i % width) % 7));
  for (std::int64_t i = 0; i < ran.inputs.at("dy").numel(); ++i) {
    const std::int64_t column = i % (width - 1);
    const double sign = i / (width - 1) % 2 == 0 ? 1 : -1;
    ran.inputs.at("dy").set(i, sign * static_cast<double>(column * 3 % 5));
  }
  const std::vector<double> bounds = bounds_of(ran);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const std::size_t row = i / width % 3;
    if (row != 1) continue;
    EXPECT_GT(bounds[i], 1.8 * bounds[i - width]) << i;
  }
}

}  // namespace
}  // namespace gradproof
