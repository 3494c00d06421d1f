// SPDX-License-Identifier: Apache-2.0
// Sizes from the shapes of given tensors, and the order of sums.
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/contract/declared_contract.h"
#include "core/graph/given_tensors.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof {
namespace {

const char* const kLine = "h = add(x, residual); y = rms_norm(h, weight); outputs y h";

/// The tensors that `kLine` takes and gives.
struct Files {
  GivenFile inputs{"in",
                   {{"x", {DType::f32, {4, 8}}},
                    {"residual", {DType::f32, {4, 8}}},
                    {"weight", {DType::f32, {8}}},
                    {"dy", {DType::f32, {4, 8}}},
                    {"dh", {DType::f32, {4, 8}}}}};
  GivenFile outputs{"out",
                    {{"y", {DType::f32, {4, 8}}},
                     {"h", {DType::f32, {4, 8}}},
                     {"d_x", {DType::f32, {4, 8}}},
                     {"d_weight", {DType::f32, {8}}}}};

  std::string refusal(const std::string& line = kLine) const {
    try {
      sizes_of_given(parse_graph(line), inputs, outputs);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(GivenTensors, ShapesSayTheExtents) {
  const Files files;
  const GivenSizes sizes = sizes_of_given(parse_graph(kLine), files.inputs, files.outputs);
  EXPECT_EQ(sizes.extents, (GraphExtents{{"rows", 4}, {"cols", 8}}));
  EXPECT_EQ(sizes.types.storage(), DType::f32);
  EXPECT_EQ(sizes.types.text(), "");
}

TEST(GivenTensors, ForwardAloneNeedsNoCotangent) {
  Files files;
  files.inputs.tensors.erase("dy");
  EXPECT_EQ(files.refusal(), "'out' has gradients, and their cotangent 'dy' is missing in 'in'");
  files.outputs.tensors.erase("d_x");
  files.outputs.tensors.erase("d_weight");
  EXPECT_EQ(files.refusal(), "");
}

TEST(GivenTensors, ANameThatFitsNothingIsToldWhatWould) {
  Files files;
  files.inputs.tensors["weigth"] = {DType::f32, {8}};
  EXPECT_EQ(files.refusal(),
            "tensor 'weigth' of 'in' fits nothing; what does: x residual weight dy dh; did you "
            "mean 'weight'?");
  files = {};
  files.outputs.tensors["dx"] = {DType::f32, {4, 8}};
  EXPECT_EQ(files.refusal(),
            "tensor 'dx' of 'out' fits nothing; what does: y h d_x d_residual d_weight");
}

TEST(GivenTensors, WhatIsMissingIsNamed) {
  Files files;
  files.inputs.tensors.erase("weight");
  EXPECT_EQ(files.refusal(), "tensor 'weight' is missing in 'in'");
  files = {};
  files.outputs.tensors.clear();
  EXPECT_EQ(files.refusal(),
            "'out' has no tensor; what may be judged: y h d_x d_residual d_weight");
}

TEST(GivenTensors, AxesMustAgree) {
  Files files;
  files.inputs.tensors["weight"].shape = {7};
  EXPECT_EQ(files.refusal(), "axis 'cols' is 8 in 'x' and 7 in 'weight'");
  files = {};
  files.outputs.tensors["d_x"].shape = {8, 4};
  EXPECT_EQ(files.refusal(), "axis 'rows' is 4 in 'x' and 8 in 'd_x'");
  files = {};
  files.inputs.tensors["x"].shape = {2, 2, 8};
  EXPECT_NE(files.refusal().find("'x' of 'in' has the shape [2,2,8], and axes [rows,cols]"),
            std::string::npos)
      << files.refusal();
}

/// A gradient that has its tensor's type, and a cotangent its output's, are not said again.
TEST(GivenTensors, EachHasItsType) {
  Files files;
  files.inputs.tensors["x"].dtype = files.outputs.tensors["d_x"].dtype = DType::bf16;
  files.outputs.tensors["y"].dtype = files.inputs.tensors["dy"].dtype = DType::bf16;
  files.inputs.tensors["residual"].dtype = DType::bf16;
  const auto types = [&] {
    return sizes_of_given(parse_graph(kLine), files.inputs, files.outputs).types;
  };
  EXPECT_EQ(types().storage(), DType::bf16);
  EXPECT_EQ(types().text(), "h:f32,weight:f32");
  files.outputs.tensors["d_weight"].dtype = DType::bf16;
  files.inputs.tensors["dh"].dtype = DType::bf16;
  EXPECT_EQ(types().text(), "d_weight:bf16,dh:bf16,h:f32,weight:f32");
}

TEST(GivenTensors, TypesThatCannotBe) {
  Files files;
  files.outputs.tensors["y"].dtype = DType::f64;
  EXPECT_EQ(files.refusal(), "dtypes: 'y' has the dtype f64 and others f32; f64 stands alone");
  files = {};
  files.inputs.tensors = {{"logits", {DType::f32, {4, 8}}}, {"labels", {DType::f32, {4}, true}}};
  files.outputs.tensors = {{"y", {DType::f32, {}}}};
  EXPECT_EQ(files.refusal("y = nll_loss(logits, labels)"),
            "'labels' has the dtype f32, and is labels: whole numbers");
}

/// Numbers that are stored in 8 bits or whole are read in a type that has each of them, and do not
/// say in which type is computed.
TEST(GivenTensors, NumbersThatAreReadWider) {
  const char* const line = "y = scale(contract(x[m,k], fixed(w[k,n]), k), s)";
  const auto types = [&](DType y) {
    Files files;
    files.inputs.tensors = {
        {"x", {DType::f32, {4, 8}, true}}, {"w", {DType::i64, {8, 5}, true}}, {"s", {y, {5}}}};
    files.outputs.tensors = {{"y", {y, {4, 5}}}};
    return sizes_of_given(parse_graph(line), files.inputs, files.outputs).types;
  };
  EXPECT_EQ(types(DType::bf16).storage(), DType::bf16);
  EXPECT_EQ(types(DType::bf16).text(), "w:f32,x:f32");
  EXPECT_EQ(types(DType::f64).text(), "");
}

TEST(GivenTensors, WindowsMustLeaveWhatTheOutputHas) {
  Files files;
  files.inputs.tensors = {{"x", {DType::f32, {2, 3, 8, 8}}}};
  files.outputs.tensors = {{"y", {DType::f32, {2, 3, 4, 4}}}};
  const char* const line = "y = max_pool(x[n,c,h,w], window=2)";
  EXPECT_EQ(files.refusal(line), "");
  files.outputs.tensors["y"].shape = {2, 3, 4, 5};
  EXPECT_NE(files.refusal(line).find("axis 'w.y' of 'y' is 5, and 4 by the windows"),
            std::string::npos)
      << files.refusal(line);
}

TEST(GivenTensors, ACaseDrawsNothingThatIsGiven) {
  const std::string files = " inputs=in outputs=out";
  EXPECT_TRUE(has_given_tensors(parse_case("{y = tanh(x)} rows=4" + files, {})));
  EXPECT_FALSE(has_given_tensors(parse_case("{y = tanh(x)} rows=4", {})));
  for (const char* keys : {" fill=uniform", " seed=3", " dy=ones"})
    EXPECT_THROW(parse_case("{y = tanh(x)}" + files + keys, {}), UsageError) << keys;
  EXPECT_THROW(parse_case("{y = tanh(x)} outputs=out", {}), UsageError);
  EXPECT_THROW(parse_case("{y = tanh(x)} inputs=in", {}), UsageError);
  EXPECT_EQ(parse_case("{y = tanh(x)} contract=stored=all", {}).text("contract"), "stored=all");
}

/// The most additions that one of so many numbers goes through where they are added in that order.
std::int64_t longest_chain(const SumOrder& order, std::int64_t length) {
  using Kind = SumOrder::Kind;
  const auto in_a_row = [](const std::vector<std::int64_t>& depths) {
    std::int64_t sum = depths.empty() ? 0 : depths[0];
    for (std::size_t k = 1; k < depths.size(); ++k) sum = std::max(sum, depths[k]) + 1;
    return sum;
  };
  const auto tree = [](std::vector<std::int64_t> depths) {
    while (depths.size() > 1) {
      std::vector<std::int64_t> next;
      for (std::size_t k = 0; k + 1 < depths.size(); k += 2)
        next.push_back(std::max(depths[k], depths[k + 1]) + 1);
      if (depths.size() % 2 == 1) next.push_back(depths.back());
      depths = std::move(next);
    }
    return depths.empty() ? 0 : depths[0];
  };
  if (order.kind == Kind::any) return in_a_row(std::vector<std::int64_t>(length, 0));
  if (order.kind == Kind::pairwise) return tree(std::vector<std::int64_t>(length, 0));
  std::vector<std::int64_t> parts;
  if (order.kind == Kind::lanes)
    for (std::int64_t k = 0; k < std::min(length, order.count); ++k)
      parts.push_back((length - k - 1) / order.count);
  else
    for (std::int64_t first = 0; first < length; first += order.count)
      parts.push_back(std::min(order.count, length - first) - 1);
  return order.kind == Kind::lanes ? tree(parts) : in_a_row(parts);
}

TEST(SumOrder, ItsChainIsThatOfTheAdditions) {
  using enum SumOrder::Kind;
  for (const SumOrder order :
       {SumOrder{any}, SumOrder{pairwise}, SumOrder{lanes, 1}, SumOrder{lanes, 6},
        SumOrder{lanes, 32}, SumOrder{blocks, 1}, SumOrder{blocks, 5}, SumOrder{blocks, 64}})
    for (std::int64_t length = 0; length < 200; ++length) {
      const std::int64_t counted = longest_chain(order, length);
      EXPECT_GE(order.chain_of(length), counted) << order.text() << " of " << length;
      EXPECT_LE(order.chain_of(length), counted + 1) << order.text() << " of " << length;
      EXPECT_LE(order.chain_of(length), order.chain_of(length + 1)) << order.text();
    }
}

/// The gradient of a bias is the sum of 65536 rows, added one after the other in float32.
TEST(SumOrder, ASumInARowIsNotPairwise) {
  constexpr std::int64_t kRows = 65536;
  const Graph graph = parse_graph("y = bias(x, b)");
  Tensors inputs, got;
  for (const char* name : {"x", "dy"}) inputs[name] = Tensor(DType::f32, {kRows, 1});
  inputs["b"] = Tensor(DType::f32, {1});
  float sum = 0;
  for (std::int64_t i = 0; i < kRows; ++i) {
    inputs["dy"].set(i, 0.1F);
    sum += 0.1F;
  }
  got["d_b"] = Tensor(DType::f32, {1});
  got["d_b"].set(0, sum);
  const auto bad = [&](std::string_view text) {
    const GraphClaim claim{graph,
                           {{"rows", kRows}, {"cols", 1}},
                           graph_contract(DType::f32, parse_declared_contract(text, graph))};
    return judge_graph(claim, inputs, got).at("d_b").discrepancy.bad;
  };
  EXPECT_EQ(bad(""), 0);
  EXPECT_EQ(bad("sums=blocks:1"), 0) << "one after the other";
  EXPECT_EQ(bad("sums=pairwise"), 1);
  EXPECT_EQ(bad("sums=lanes:32"), 1);
  EXPECT_EQ(bad("sums=blocks:256"), 1);
}

}  // namespace
}  // namespace gradproof
