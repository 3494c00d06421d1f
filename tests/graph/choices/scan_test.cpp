// SPDX-License-Identifier: Apache-2.0
// Scans along an axis (docs/graphs.md, "Scans").
#include <vector>

#include <gtest/gtest.h>

#include "tests/graph/judged_line.h"

namespace gradproof {
namespace {

TEST(Scan, IsJudgedInEachType) {
  expect_judged("{y = cumsum(x, cols)} rows=3 cols=9");
  expect_judged("{y = cumsum(softmax(x, cols), rows)} rows=3 cols=9");
  expect_judged("{y = flip(cumsum(flip(x, cols), cols), cols)} rows=3 cols=9");
  expect_judged("{y = recur(x, a, cols)} rows=3 cols=9 fill=uniform");
  expect_judged("{y = recur(x[b,t,c], sigmoid(a[b,t]), t)} b=2 t=9 c=3");
  expect_judged("{y = recur(x[b,t,c], a[t], h[b,c], t)} b=2 t=7 c=3 fill=uniform");
}

TEST(Scan, HasTheNumbersOfThePage) {
  const Ran ran = ran_with("{y = recur(x[t], a[t], t)} t=3",
                           {{"x", {1, 1, 1}}, {"a", {9, 2, 3}}, {"dy", {0, 0, 1}}});
  const std::vector<std::vector<double>> wanted{{1, 3, 10}, {6, 3, 1}, {0, 3, 3}};
  const char* const names[] = {"y", "d_x", "d_a"};
  for (int k = 0; k < 3; ++k) {
    for (int at = 0; at < 3; ++at)
      EXPECT_EQ(ran.got.at(names[k]).at(at),
                wanted[static_cast<std::size_t>(k)][static_cast<std::size_t>(at)])
          << names[k] << at;
    EXPECT_EQ(bad_in(ran, names[k]), 0) << names[k];
    Ran wrong = ran;
    wrong.got.at(names[k]).set(1, ran.got.at(names[k]).at(1) + 1e-5);
    EXPECT_EQ(bad_in(wrong, names[k]), 1) << names[k];
  }
}

/// The recurrence of float32 as kernels compute it in parts of `length`: the state in front of a
/// part is multiplied with the product of its factors.
std::vector<float> in_parts(const Ran& ran, std::int64_t length) {
  const Tensor& x = ran.inputs.at("x");
  const Tensor& a = ran.inputs.at("a");
  std::vector<float> all;
  float state = 0;
  for (std::int64_t first = 0; first < x.numel(); first += length) {
    float product = 1;
    float own = 0;
    float last = 0;
    for (std::int64_t t = first; t < std::min(first + length, x.numel()); ++t) {
      const auto factor = static_cast<float>(a.at(t));
      product *= factor;
      own = factor * own + static_cast<float>(x.at(t));
      last = product * state + own;
      all.push_back(last);
    }
    state = last;
  }
  return all;
}

TEST(Scan, PassesInPartsAndFailsWithoutAFactor) {
  for (const std::int64_t length : {4, 16, 128}) {
    Ran ran("{y = recur(x[t], a[t], t)} t=512 fill=normal");
    const std::vector<float> numbers = in_parts(ran, length);
    for (std::size_t t = 0; t < numbers.size(); ++t)
      ran.got.at("y").set(static_cast<std::int64_t>(t), static_cast<double>(numbers[t]));
    EXPECT_EQ(bad_in(ran, "y"), 0) << length;
  }
  Ran wrong("{y = recur(x[t], a[t], t)} t=512");
  wrong.inputs.at("a").set(200, 1);
  wrong.got = graph_in_libtorch(wrong.graph, wrong.inputs, types_of(wrong.graph, wrong.c));
  const Tensor got = wrong.got.at("y");
  Ran right("{y = recur(x[t], a[t], t)} t=512");
  right.got.at("y") = got;
  EXPECT_GT(bad_in(right, "y"), 0);
}

TEST(Scan, CutsBlocksFromOtherAxes) {
  expect_judged("{y = recur(x[b,t,c], a[t,c], t)} b=40 t=5 c=37 fill=uniform", {}, {"f32"});
  expect_judged("{y = cumsum(x[b,t,c], t)} b=40 t=5 c=37", {}, {"f32"});
}

TEST(Scan, HasOneNumberOrNone) {
  expect_judged("{y = cumsum(x, cols)} rows=3 cols=1", {}, {"f32"});
  expect_judged("{y = recur(x, a, h[rows], cols)} rows=3 cols=1", {}, {"f32"});
}

TEST(Scan, RefusesWhatItCannotBe) {
  expect_error("{y = cumsum(x)} rows=3 cols=4", "needs the axes that it works over");
  expect_error("{y = cumsum(sum(x, cols), cols)} rows=3 cols=4", "is no axis of");
  expect_error("{y = cumsum(x, rows, cols)} rows=3 cols=4", "works along one axis");
  expect_error("{y = recur(x[b,t], a[t,c], t)} b=3 t=4 c=2", "wanted are [b,t]");
  expect_error("{y = recur(x[b,t], a[t], h[t], t)} b=3 t=4", "wanted are [b]");
}

}  // namespace
}  // namespace gradproof
