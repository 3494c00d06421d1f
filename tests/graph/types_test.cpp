// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/graph_types.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

constexpr const char* kGraphOfCase = "{h = add(x, residual); y = rms_norm(h, weight); outputs y h}";

std::string refusal_of_types(const std::string& keys) {
  const Case c = parse_case(std::string(kGraphOfCase) + " " + keys, {});
  try {
    types_of(graph_of(c), c);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(GraphTypes, GradientsAndCotangentsFollow) {
  const Case c = parse_case(std::string(kGraphOfCase) + " dtype=bf16 dtypes=weight:f32,h:f32", {});
  const GraphTypes types = types_of(graph_of(c), c);
  for (const char* name : {"x", "d_x", "residual", "y", "dy"})
    EXPECT_EQ(types.of(name), DType::bf16) << name;
  for (const char* name : {"weight", "d_weight", "h", "dh"})
    EXPECT_EQ(types.of(name), DType::f32) << name;
  EXPECT_EQ(types.text(), "h:f32,weight:f32");
  EXPECT_EQ(to_string(c).substr(std::string(kGraphOfCase).size()),
            " rows=8 cols=8 dtype=bf16 dtypes=weight:f32,h:f32");
}

TEST(GraphTypes, WhatIsRefused) {
  EXPECT_EQ(refusal_of_types("dtypes=weight:f32"), "");
  EXPECT_EQ(refusal_of_types("dtypes=weight"),
            "dtypes: 'weight' is no NAME:DTYPE, as in dtypes=weight:f32,bias:f32");
  EXPECT_EQ(refusal_of_types("dtypes=weigth:f32"),
            "dtypes: 'weigth' is none of x d_x residual d_residual weight d_weight y dy h dh; did "
            "you mean 'weight'?");
  EXPECT_EQ(refusal_of_types("dtypes=weight:f32,weight:f16"),
            "dtypes: 'weight' stands there twice");
  EXPECT_EQ(refusal_of_types("dtype=bf16 dtypes=weight:f64"),
            "dtypes: 'weight' has the dtype f64 and others bf16; f64 stands alone");
  EXPECT_EQ(refusal_of_types("dtypes=weight:i64"),
            "dtypes: labels alone are whole numbers, and 'weight' is none");
  EXPECT_NE(refusal_of_types("dtypes=weight:fp32").find("fp32"), std::string::npos);
}

/// LibTorch's own operators with parameters of float32, which its norms take beside 16 bits.
TEST(GraphTypes, LibTorchWithFloat32Parameters) {
  for (const char* line :
       {"{y = layer_norm(x, weight, beta)} rows=16 cols=256", "{y = rms_norm(x, weight)} rows=16",
        "{y = group_norm(x[n,c,h,w], weight, beta, groups=4)} h=9",
        "{y = batch_norm(x[n,c,h,w], weight, beta)} h=9", "{y = multiply(x, weight[cols])} rows=64",
        "{y = batch_norm_eval(x, mean, var, weight, beta)} rows=64"})
    for (const char* type : {"f16", "bf16"}) {
      std::string names = "weight:f32";
      for (const char* name : {"beta", "mean", "var"})
        if (std::string(line).find(name) != std::string::npos)
          names += std::string(",") + name + ":f32";
      const Ran ran(std::string(line) + " dtype=" + type + " dtypes=" + names);
      EXPECT_EQ(ran.got.at("d_weight").dtype(), DType::f32);
      EXPECT_EQ(ran.got.at("y").dtype(), ran.storage);
      for (const auto& [name, found] : ran.judged())
        EXPECT_EQ(found.discrepancy.bad, 0) << to_string(ran.c) << " " << name;
    }
}

/// Without weight and bias InstanceNorm computes in 16 bits whatever its statistics are.
TEST(GraphTypes, StatisticsAloneAreNoParameters) {
  Ran ran("{y = instance_norm_eval(x, mean, var)} dtype=bf16 dtypes=mean:f32,var:f32 fill=uniform");
  EXPECT_EQ(ran.judged().at("y").discrepancy.bad, 0);
  ran.claim.contract.stored_parts.clear();
  EXPECT_GT(ran.judged().at("y").discrepancy.bad, 0);
}

/// A float32 gradient that was rounded through 16 bits, and a result whose bound is that of float32
/// though the storage type has 16 bits.
TEST(GraphTypes, WhatIsFloat32IsJudgedAsSuch) {
  Ran ran("{y = group_norm(x[n,c,h,w], weight, groups=8)} c=64 dtype=bf16 dtypes=weight:f32");
  EXPECT_EQ(ran.judged().at("d_weight").discrepancy.bad, 0);
  Tensor& weights = ran.got.at("d_weight");
  for (std::int64_t i = 0; i < weights.numel(); ++i)
    weights.set(i, round_to(DType::bf16, weights.at(i)));
  EXPECT_GT(ran.judged().at("d_weight").discrepancy.bad, weights.numel() / 2);

  Ran fused("{y = layer_norm(x)} rows=16 cols=64 dtype=bf16 dtypes=y:f32");
  fused.claim.contract = graph_contract(fused.graph, types_of(fused.graph, fused.c), {});
  EXPECT_GT(fused.judged().at("y").discrepancy.bad, 0) << "LibTorch rounds it to bf16 first";
}

/// A kernel whose backward reads a result of 16 bits, as forward stored it, of float32 inputs.
TEST(GraphTypes, AResultOfAnotherTypeIsReadAsItIsStored) {
  Ran ran("{y = softmax(x)} rows=16 cols=64 dtypes=y:bf16");
  const Tensor& y = ran.got.at("y");
  const Tensor& dy = ran.inputs.at("dy");
  Tensor& dx = ran.got.at("d_x");
  for (std::int64_t row = 0; row < 16; ++row) {
    double sum = 0;
    for (std::int64_t i = 64 * row; i < 64 * row + 64; ++i) sum += y.at(i) * dy.at(i);
    for (std::int64_t i = 64 * row; i < 64 * row + 64; ++i) dx.set(i, y.at(i) * (dy.at(i) - sum));
  }
  const auto bad = [&](const char* contract) {
    ran.claim.contract = graph_contract(ran.graph, types_of(ran.graph, ran.c),
                                        parse_declared_contract(contract, ran.graph));
    return ran.judged().at("d_x").discrepancy.bad;
  };
  EXPECT_EQ(bad(""), 0);
  EXPECT_GT(bad("stored=none"), 0);
}

}  // namespace
}  // namespace gradproof
