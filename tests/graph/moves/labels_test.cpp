// SPDX-License-Identifier: Apache-2.0
// Stages that take labels: rows of a table, numbers of rows, sums over equal labels, and counts.
#include "core/graph/labels.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/graph/judged_line.h"

namespace gradproof {
namespace {

TEST(Label, OfLibTorchIsWithinItsBound) {
  for (const char* line :
       {"{y = take(table[v,d], ids[t], v)} v=5 d=6 t=9",
        "{e = take(table[v,d], ids[b,t], v); y = softmax(e, d)} v=11 d=6 b=2 t=4",
        "{l = log_softmax(x[t,v]); y = take(l, labels[t], v)} t=5 v=7",
        "{y = take(square(x[b,t,d]), ids[b,k], t)} b=2 t=6 d=3 k=4",
        "{y = take(x[d,v], ids[t], v)} v=5 d=6 t=9", "{y = put(x[t,d], ids[t], v, size=4)} t=9 d=3",
        "{y = put(tanh(x[a,d,b]), ids[b,a], v, size=4)} a=3 b=5 d=2",
        "{y = divide(x, count(ids[t]))} t=7 rows=3 cols=4",
        "{l = log_softmax(x[t,v]); p = take(l, labels[t], v, ignore=-100); n = count(labels, "
        "ignore=-100); y = neg(divide(sum(p, t), n))} t=23 v=7",
        "{m = put(x[t,d], ids[t], g, size=3); n = take(m, ids, g); y = subtract(x, n)} t=9 d=3"})
    expect_judged(line);
}

TEST(Label, IsJudgedInBlocksOfOtherAxes) {
  for (const char* size : {"1", "7", "8", "17"}) {
    expect_judged(std::string("{e = take(table[v,d], ids[t], v); y = exp(e)} v=5 t=6 d=") + size);
    expect_judged(std::string("{y = put(x[t,d], ids[t], v, size=3)} t=6 d=") + size);
  }
}

TEST(Label, IsDrawnWithThoseThatAreIgnored) {
  const Ran ran("{l = take(x[t,v], labels[t], v, ignore=-100); y = exp(l)} t=200 v=3");
  const Tensor& labels = get(ran.inputs, "labels");
  std::int64_t ignored = 0;
  for (std::int64_t i = 0; i < labels.numel(); ++i) ignored += labels.at(i) == -100 ? 1 : 0;
  EXPECT_GT(ignored, 5);
  EXPECT_LT(ignored, 60);
  // A step that ignores none would refuse such a label.
  const Ran both(
      "{l = take(x[t,v], labels[t], v, ignore=-100); m = take(x, labels, v); y = add(l, m)} t=200 "
      "v=3");
  EXPECT_EQ(label_range(both.graph, "labels", both.claim.extents).ignored, -2147483647);
}

TEST(Label, IsRefusedOutOfItsRange) {
  expect_error("{y = take(table[v,d], ids[t], v)} v=5 d=6 t=9 set=ids@3:5",
               "label 5 of 'ids' at [3] is no class: 0 to 4");
  expect_error("{y = take(table[v,d], ids[t], v, ignore=-1)} v=5 d=6 t=9 set=ids@3:-2",
               "label -2 of 'ids' at [3] is no class: 0 to 4, or -1");
  expect_error("{y = put(x[t,d], ids[t], v, size=5)} d=6 t=9 set=ids@3:7",
               "label 7 of 'ids' at [3] is no class: 0 to 4");
}

TEST(Label, RefusesOtherAxes) {
  expect_error("{y = take(table[v,d], ids[v], v)}",
               "the labels 'ids[v]' of take have the axis 'v', along which they choose");
  expect_error("{y = put(x[t,d], ids[k], v, size=2)}",
               "the labels 'ids[k]' of put have other axes than 'x', which has [t,d]");
  expect_error("{y = take(table[v,d], exp(ids), v)}", "the labels of take are a tensor, no value");
  expect_error("{y = take(table[v,d], ids[t])}", "take names 1 axis that 'table' has");
}

}  // namespace
}  // namespace gradproof
