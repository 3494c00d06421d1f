// SPDX-License-Identifier: Apache-2.0
// Convolutions: LibTorch under the bound whatever stride, padding, dilation and groups are, one
// element off over it, and what their text may say.
#include <string>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/graph/judged_line.h"

namespace gradproof {
namespace {

/// In 16 bits an element is off by more, as LibTorch's convolutions add up there what taps and
/// samples give.
void expect_convolution(const std::string& line) { expect_judged(line, {.narrow = 64}); }

const std::string kImage = "x[n,c,h,w], weight[out,c,kh,kw]";
const std::string kSizes = " n=2 c=3 h=7 w=6 out=4 kh=3 kw=2";

TEST(Convolution, OfLibTorchIsWithinItsBound) {
  for (const char* options : {"", ", stride=2", ", padding=1", ", stride=2x3, padding=2x1",
                              ", dilation=2x1", ", stride=3x2, padding=1, dilation=1x2"})
    expect_convolution("{y = conv(" + kImage + options + ")}" + kSizes);
  expect_convolution("{y = conv(" + kImage + ", bias)}" + kSizes);
  expect_convolution("{y = conv(x[n,c,l], weight[out,c,k])} n=3 c=2 l=9 out=5 k=4");
  expect_convolution(
      "{y = conv(x[n,c,d,h,w], weight[out,c,kd,kh,kw], padding=1)} n=1 c=2 d=3 h=4 w=3 "
      "out=2 kd=2 kh=3 kw=2");
}

TEST(Convolution, TransposedIsWithinItsBound) {
  const std::string image = "x[n,c,h,w], weight[c,out,kh,kw]";
  for (const char* options :
       {"", ", stride=2", ", padding=1", ", stride=2x3, padding=1x0",
        ", stride=2, output_padding=1, padding=1", ", dilation=2x1", ", stride=3x2, dilation=1x2"})
    expect_convolution("{y = conv_transpose(" + image + options + ")}" + kSizes);
  expect_convolution("{y = conv_transpose(" + image + ", bias)}" + kSizes);
  expect_convolution(
      "{y = conv_transpose(x[n,c,l], weight[c,out,k], stride=2)} n=3 c=2 l=5 out=5 k=4");
}

TEST(Convolution, OfGroupsIsWithinItsBound) {
  expect_convolution(
      "{y = conv(x[n,c,h,w], weight[out,in,kh,kw], bias, groups=2)} n=2 c=4 in=2 h=5 w=4 "
      "out=6 kh=2 kw=3");
  expect_convolution(
      "{y = conv(x[n,c,h,w], weight[out,in,kh,kw], groups=3, padding=1)} n=9 c=3 in=1 "
      "h=4 w=4 out=3 kh=3 kw=3");
  expect_convolution(
      "{y = conv_transpose(x[n,c,h,w], weight[c,out,kh,kw], groups=2, stride=2)} n=2 c=4 "
      "h=3 w=4 out=3 kh=2 kw=3");
}

/// Blocks are cut from samples, or from the channels that the weight alone has.
TEST(Convolution, IsJudgedInBlocks) {
  for (const char* sizes : {"n=1 out=3", "n=7 out=8", "n=8 out=2", "n=2 out=9", "n=17 out=19"})
    for (const char* stage : {"conv(x[n,c,h,w], weight[out,c,kh,kw], bias, stride=2x1)",
                              "conv_transpose(x[n,c,h,w], weight[c,out,kh,kw], bias, stride=2x1)"})
      expect_convolution(std::string("{y = ") + stage + "} c=2 h=5 w=4 kh=2 kw=3 " + sizes);
}

TEST(Convolution, OfValuesThatStepsMake) {
  expect_convolution("{y = conv(relu(x[n,c,h,w]), tanh(v[out,c,kh,kw]))}" + kSizes);
  expect_convolution("{h1 = conv(" + kImage + "); y = conv(silu(h1), u[o2,out,a,b], padding=1)}" +
                     kSizes + " o2=3 a=3 b=3");
  expect_convolution("{y = batch_norm(conv(" + kImage + ", bias), g, beta)}" + kSizes);
  expect_convolution("{y = max_pool(conv(" + kImage + "), window=2)}" + kSizes);
  expect_convolution("{y = instance_norm(x[n,c,h,w]); z = conv(y, weight[out,c,kh,kw])}" + kSizes);
}

TEST(Convolution, RefusesWhatDoesNotFit) {
  expect_error("{y = conv(x[n,c,h,w], weight[out,h,kh,kw])}" + kSizes,
               "'weight' of conv has [out,h,kh,kw], wanted are [out,c,kh,kw]");
  expect_error("{y = conv(x[n,c,h,w], weight[out,c,kh])}" + kSizes, "wanted are [out,c,kh,kw]");
  expect_error("{y = conv(x[n,c,h,w], weight[out,c,kh,kw], groups=2)}" + kSizes,
               "wanted are [out,in,kh,kw], 'in' being the channels of one group");
  expect_error("{y = conv(" + kImage + ", stride=2x1x1)}" + kSizes,
               "stride=2x1x1 of conv has 3 numbers, and its axes are [h,w]");
  expect_error("{y = conv(" + kImage + ", stride=0)}" + kSizes,
               "bad value '0' for option 'stride' of conv");
  expect_error("{y = conv(" + kImage + ", stride=2xy)}" + kSizes,
               "bad value 'y' for option 'stride' of conv");
  expect_error("{y = conv(" + kImage + ", dilation=4)}" + kSizes,
               "window=9 is wider than axis 'h' of 7");
  expect_error("{y = conv(x[n,c], weight)}", "conv needs axes behind the channels");
  expect_error("{y = conv_transpose(x[n,c,h,w], weight[c,out,kh,kw], padding=7)}" + kSizes,
               "is wider than axis 'h' of 7");
}

TEST(Convolution, RefusesChannelsThatItsGroupsDoNotFit) {
  const Case c =
      parse_case("{y = conv(x[n,c,h,w], weight[out,in,kh,kw], groups=2)} in=2" + kSizes, {});
  const Graph graph = graph_of(c);
  const GraphClaim claim{graph, extents_of(graph, c), libtorch_graph_contract(DType::f32)};
  EXPECT_THROW(claim.plan(1), UsageError);
}

TEST(Convolution, HasItsWeightsAxesByDefault) {
  EXPECT_EQ(parse_graph("y = conv(x[n,c,h,w], weight, bias)").axes_of("weight"),
            (std::vector<std::string>{"out", "c", "kh", "kw"}));
  EXPECT_EQ(parse_graph("y = conv(x[n,c,l], weight, groups=2)").axes_of("weight"),
            (std::vector<std::string>{"out", "in", "kl"}));
  EXPECT_EQ(parse_graph("y = conv(conv(x[n,c,l], w), v)").axes_of("v"),
            (std::vector<std::string>{"out2", "out", "kl2"}));
  EXPECT_EQ(parse_graph("y = conv_transpose(x[n,c,l], weight)").axes_of("y"),
            (std::vector<std::string>{"n", "out", "l.y"}));
}

}  // namespace
}  // namespace gradproof
