// SPDX-License-Identifier: Apache-2.0
// The errors of a norm's statistics are shared by the elements of one group alone: an adjoint that
// takes numbers of several groups may not let those of one cancel those of another.
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// The bound of each element of d_x.
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

/// A step that makes a number from several groups of a norm: each `unit` numbers of x along an axis
/// are one group, and t is the factor on the values, or the gradients, of a group.
struct Combination {
  const char* name;
  const char* line;
  const char* target = "y";
  std::size_t axis = 0;
  std::int64_t unit = 1;
  const char* more = "";  ///< extents besides rows and cols
};

void PrintTo(const Combination& tested, std::ostream* out) { *out << tested.line; }

const Combination kCombinations[] = {
    {"sum", "{v = layer_norm(x[rows,cols]); u = multiply(v, t[rows,cols]); y = sum(u, rows)}"},
    {"mean", "{v = layer_norm(x[rows,cols]); u = multiply(v, t[rows,cols]); y = mean(u, rows)}"},
    {"sum_of_all",
     "{v = layer_norm(x[rows,cols]); u = multiply(v, t[rows,cols]); y = sum(u, rows, cols)}"},
    {"channels", "{v = batch_norm(x[rows,cols]); u = multiply(v, t[rows,cols]); y = sum(u, cols)}",
     "y", 1},
    {"groups",
     "{v = group_norm(x[rows,cols,k], groups=2); u = multiply(v, t[rows,cols,k]); y = sum(u, "
     "cols)}",
     "y", 1, 3, " k=6"},
    {"linear", "{v = batch_norm(x[rows,cols]); y = linear(v, t[k,cols])}", "y", 1, 1, " k=6"},
    {"contract", "{v = batch_norm(x[rows,cols]); y = contract(v, t[k,cols], cols)}", "y", 1, 1,
     " k=6"},
    {"factor",
     "{v = layer_norm(x[cols,rows], cols); u = multiply(v, t[cols,rows]); y = contract(z[k,cols], "
     "u, cols)}",
     "d_z", 1, 1, " k=6"},
    {"nll_loss",
     "{v = log_softmax(x[rows,cols]); u = multiply(v, t[rows,cols]); y = nll_loss(u, labels)}"},
    {"avg_pool",
     "{v = layer_norm(x[n,k,rows,cols], cols); u = multiply(v, t[n,k,rows,cols]); y = avg_pool(u, "
     "window=2, stride=1)}",
     "y", 2, 1, " n=1 k=2"},
    {"running_mean",
     "{v = layer_norm(x[rows,cols]); u = multiply(v, t[rows,cols]); y = running_mean(u, m[cols])}"},
    {"rotary",
     "{v = group_norm(x[rows,cols], groups=2); u = multiply(v, t[rows,cols]); y = rotary(u, "
     "c[rows,cols], s[rows,cols])}",
     "y", 1, 3},
    {"broadcast", "{u = multiply(b[cols], t[rows,cols]); y = layer_norm(u)}", "d_b"},
    {"reduced",
     "{v = layer_norm(x[rows,cols]); m = sum(v, cols); u = multiply(m, t[rows]); y = sum(u, "
     "rows)}"},
};

/// The bounds of the target if all groups are alike, or t has the other sign in each second one.
std::vector<double> bounds_of(const Combination& tested, const std::string& rows, double other) {
  Ran ran(std::string(tested.line) + " rows=" + rows + " cols=6 dtype=f32 seed=3" + tested.more);
  for (auto& [name, tensor] : ran.inputs) {
    const Shape shape = tensor.shape();
    if (name == "labels" || shape.size() <= tested.axis) {
      for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, name == "labels" ? 5 : 1);
      continue;
    }
    std::int64_t inner = 1;
    for (std::size_t k = tested.axis + 1; k < shape.size(); ++k) inner *= shape[k];
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      const std::int64_t along = i / inner % shape[tested.axis];
      const std::int64_t group = along / tested.unit;
      if (name == "t")
        tensor.set(i, group % 2 == 0 ? 1 : other);
      else if (name == "c" || name == "s")
        tensor.set(i, 1);
      else
        tensor.set(i, tensor.at(i - group * tested.unit * inner));
    }
  }
  return truths_of_graph(ran.claim, ran.inputs, tested.target, ran.got.at(tested.target))
      .truths.bound;
}

class Combinations : public testing::TestWithParam<Combination> {};

// The errors of one group's statistics do not make up for those of another group's.
TEST_P(Combinations, DoNotCancelWhatGroupsShare) {
  for (const char* rows : {"6", "40"}) {  // number by number, and in packs
    const std::vector<double> alike = bounds_of(GetParam(), rows, 1);
    const std::vector<double> opposite = bounds_of(GetParam(), rows, -1);
    for (std::size_t i = 0; i < alike.size(); ++i) EXPECT_GT(opposite[i], 0.9 * alike[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, Combinations, testing::ValuesIn(kCombinations),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace gradproof
