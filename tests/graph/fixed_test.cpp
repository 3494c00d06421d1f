// SPDX-License-Identifier: Apache-2.0
// Tensors of which the text asks for no gradient: masks, targets, cos and sin.
#include <array>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/python/python_source.h"
#include "tests/core/doubles.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

const std::string kMasked = "{y = multiply(softmax(x), fixed(keep[rows,cols]))} rows=3 cols=9";
const std::string kWith = "{y = multiply(softmax(x), keep[rows,cols])} rows=3 cols=9";

std::string refused_as(const std::string& line) {
  try {
    parse_graph(line);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FixedTensor, IsDrawnAndHasNoGradient) {
  const Ran ran(kMasked);
  const Ran with(kWith);
  EXPECT_EQ(ran.graph.tensors.at(1).part, TensorPart::fixed);
  EXPECT_TRUE(with.got.contains("d_keep"));
  EXPECT_FALSE(ran.got.contains("d_keep"));
  for (std::int64_t i = 0; i < 27; ++i)
    EXPECT_EQ(ran.inputs.at("keep").at(i), with.inputs.at("keep").at(i)) << i;
}

/// All else is judged as beside a gradient: truths and bounds are the same.
TEST(FixedTensor, ChangesNothingElse) {
  for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
    const auto fixed = Ran(kMasked + " dtype=" + dtype).judged();
    const auto with = Ran(kWith + " dtype=" + dtype).judged();
    EXPECT_EQ(fixed.size() + 1, with.size());
    for (const auto& [name, judged] : fixed) {
      EXPECT_EQ(judged.discrepancy.bad, 0) << name << dtype;
      EXPECT_EQ(judged.discrepancy.resolution.rms_bound,
                with.at(name).discrepancy.resolution.rms_bound)
          << name << dtype;
    }
  }
}

/// The control: a gradient that is a little wrong, as by a mask of which one number is another.
TEST(FixedTensor, LeavesTheOtherGradientsJudged) {
  Ran ran(kMasked);
  Tensor& dx = ran.got.at("d_x");
  dx.set(4, dx.at(4) * 1.001);
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 1);
}

TEST(FixedTensor, MayBeInAnyPlaceOfAStage) {
  for (const char* line :
       {"{y = rms_norm(x, fixed(weight))} rows=3 cols=9", "{y = linear(fixed(x), w[k,cols])} k=3",
        "{y = linear(x, fixed(w[k,cols]), fixed(b))} k=3", "{y = maximum(x, fixed(k))} rows=3",
        "{y = max(fixed(x), cols); z = relu(x)} rows=3", "{y = relu(fixed(x))} rows=3",
        "{y = rotary(x[t,h,d], fixed(cos[t,d]), fixed(sin[t,d]))} t=2 h=3 d=4",
        "{y = batch_norm(x, fixed(weight), beta); m = running_mean(x, fixed(mean))} rows=4",
        "{y = nll_loss(log_softmax(x), fixed(labels))} rows=4 cols=5",
        "{y = divide(x, fixed(scale[cols]))} fill=uniform",
        "{f(t, u) := multiply(t, u); y = f(x, fixed(keep))} rows=3"}) {
    const Ran ran(line);
    for (const auto& [name, judged] : ran.judged()) {
      EXPECT_EQ(judged.discrepancy.bad, 0) << line << " " << name;
      EXPECT_EQ(judged.discrepancy.undecided, 0) << line << " " << name;
    }
  }
}

/// At a tie with a mask's number any share of the gradient is right.
TEST(FixedTensor, AtATieTakesAnyShare) {
  Ran ran("{y = maximum(x, fixed(k))} rows=2 cols=3 fill=integers set=x@0,1:2;k@0,1:2");
  for (const double share : {0.0, 0.5, 1.0}) {
    ran.got.at("d_x").set(1, share * ran.inputs.at("dy").at(1));
    EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 0) << share;
  }
  ran.got.at("d_x").set(1, 2 * ran.inputs.at("dy").at(1));
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 1);
}

TEST(FixedTensor, IsSaidOnceAndPrintedAtItsFirstUse) {
  EXPECT_EQ(to_string(parse_graph("a = multiply(x, keep); y = multiply(a, fixed(keep))")),
            "a = multiply(x, fixed(keep)); y = multiply(a, keep)");
  EXPECT_EQ(to_string(parse_graph("fixed(x[n]) -> relu -> add(z[n])")),
            "v1 = relu(fixed(x[n])); y = add(v1, z[n])");
  const Ran ran(kMasked);
  EXPECT_NE(python_source(ran.graph, ran.claim.extents, DType::f32).find("(\"keep\", None)"),
            std::string::npos);
}

TEST(FixedTensor, IsDrawnByItsKind) {
  const auto drawn = [](const std::string& kind) {
    const Case c = parse_case(
        "{y = add(x[b,i,j], fixed(m[b,i,j], kind=" + kind + "))} b=2 i=5 j=4 seed=3", {});
    return make_graph_inputs(graph_of(c), c).at("m");
  };
  const Tensor coin = drawn("coin");
  const Tensor causal = drawn("causal");
  const Tensor padding = drawn("padding");
  const Tensor onehot = drawn("onehot");
  for (std::int64_t row = 0; row < 10; ++row) {
    double ones = 0;
    for (std::int64_t col = 0; col < 4; ++col) {
      const std::int64_t at = 4 * row + col;
      EXPECT_TRUE(coin.at(at) == 0 || coin.at(at) == 1) << coin.at(at);
      EXPECT_EQ(causal.at(at), col <= row % 5 ? 0 : -kInf) << at;
      EXPECT_TRUE(padding.at(at) == 0 || (padding.at(at) == -kInf && col > 0)) << at;
      EXPECT_TRUE(padding.at(at) != 0 || col == 0 || padding.at(at - 1) == 0) << at;
      ones += onehot.at(at);
    }
    EXPECT_EQ(ones, 1) << row;
  }
}

TEST(FixedTensor, OfACausalMaskIsJudged) {
  for (const char* dtype : {"f32", "bf16"}) {
    Ran ran(std::string("{s = sum(multiply(q[i,d], k[j,d]), d); p = softmax(add(s, fixed(m[i,j], "
                        "kind=causal)), j); y = sum(multiply(p, v[j,d]), j)} i=6 j=6 d=4 dtype=") +
            dtype);
    for (const auto& [name, judged] : ran.judged()) {
      EXPECT_EQ(judged.discrepancy.bad, 0) << name;
      EXPECT_EQ(judged.discrepancy.vacuous, 0) << name;
    }
    ran.got.at("d_v").set(0, 1.5 * ran.got.at("d_v").at(0));
    EXPECT_EQ(ran.judged().at("d_v").discrepancy.bad, 1);
  }
}

TEST(FixedTensor, IsATensorOfTheLine) {
  const auto expect = [](const std::string& line, const std::string& part) {
    EXPECT_NE(refused_as(line).find(part), std::string::npos) << line << "\n" << refused_as(line);
  };
  expect("h = relu(x); y = multiply(x, fixed(h))",
         "'h' is a value; fixed(h) is said of a tensor, and nothing goes back through detach(h)");
  expect("f(t) := multiply(t, fixed(t)); y = f(x)",
         "'t' is fixed, which its call says of a tensor");
  expect("fixed(t) := relu(t); y = relu(x)", "'fixed' is a word of the language already");
  expect("y = relu(x, fixed(z))", "relu takes 1 operand: 'z' is too many");
  expect("y = add(x, fixed(m, kind=dice))", "bad value 'dice' for option 'kind' of fixed; known: ");
  expect("y = add(x, fixed(m, fill=coin))", "unknown option 'fill' of fixed; known: kind");
  expect("y = add(x, fixed(m[cols], kind=causal))", "kind=causal needs 2 axes; 'm' has [cols]");
  expect("h = add(x, fixed(m, kind=coin)); y = add(h, fixed(m, kind=onehot))",
         "'m' has two kinds, coin and onehot");
  expect("y = nll_loss(log_softmax(x), fixed(labels, kind=coin))", "it has no kind");
  expect("y = relu(fixed(3))", "a tensor is wanted");
  expect("y = relu(fixed(x)", "')' is wanted");
  expect("y = fixed(x)", "unknown stage 'fixed'");
  // A gradient that there is not may be the name of a tensor; one that there is may not.
  EXPECT_EQ(refused_as("y = multiply(fixed(x), d_x)"), "accepted");
  expect("y = multiply(x, d_x)", "'d_x' is a tensor and the gradient of tensor 'x'");
}

}  // namespace
}  // namespace gradproof
