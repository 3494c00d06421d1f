// SPDX-License-Identifier: Apache-2.0
// Infinite weights of norms: LibTorch's forms make other classes of them than the text, and a
// contract that declares its forms leaves none open.
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "core/graph/contract/declared_contract.h"
#include "tests/core/doubles.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// A norm of x with four weights.
struct WeightedNorm {
  const char* name;
  const char* line;
};

void PrintTo(const WeightedNorm& norm, std::ostream* out) { *out << norm.line; }

const WeightedNorm kNorms[] = {
    {"group_norm_of_one_group", "{y = group_norm(x[n,c,l], weight, beta, groups=1)} n=3 c=4 l=3"},
    {"group_norm_of_two", "{y = group_norm(x[n,c,l], weight, beta, groups=2)} n=3 c=4 l=3"},
    {"group_norm_of_images",
     "{y = group_norm(x[n,c,h,w], weight, beta, groups=2)} n=2 c=4 h=2 w=3"},
    {"group_norm_without_beta", "{y = group_norm(x[n,c,l], weight, groups=1)} n=3 c=4 l=3"},
    {"group_norm_of_matrices", "{y = group_norm(x, weight, beta, groups=2)} rows=3 cols=4"},
    {"layer_norm", "{y = layer_norm(x, weight, beta)} rows=3 cols=4"},
    {"rms_norm", "{y = rms_norm(x, weight)} rows=3 cols=4"},
    {"batch_norm", "{y = batch_norm(x, weight, beta)} rows=5 cols=4"},
    {"batch_norm_of_images", "{y = batch_norm(x[n,c,l], weight, beta)} n=3 c=4 l=3"},
    {"instance_norm", "{y = instance_norm(x[n,c,l], weight, beta)} n=3 c=4 l=3"},
    {"batch_norm_eval", "{y = batch_norm_eval(x[n,c,l], mean, var, weight, beta)} n=3 c=4 l=3"}};

const char* const kInfinities[] = {"weight@0:inf",
                                   "weight@2:-inf",
                                   "weight@0:inf;weight@1:inf",
                                   "weight@0:inf;weight@1:-inf",
                                   "weight@0:inf;weight@3:nan",
                                   "weight@0:inf;dy@0:0"};

std::string filled(const WeightedNorm& norm, const std::string& set, int seed) {
  const std::string line = norm.line;
  const std::string zero = line.find("[n,c,h,w]") != std::string::npos ? "0,0,0,0"
                           : line.find("[n,c,l]") != std::string::npos ? "0,0,0"
                                                                       : "0,0";
  std::string all = set;
  if (const auto at = all.find("dy@0"); at != std::string::npos) all.replace(at, 4, "dy@" + zero);
  return line + " dy=normal set=" + all + " seed=" + std::to_string(seed);
}

class InfiniteWeights : public testing::TestWithParam<WeightedNorm> {};

TEST_P(InfiniteWeights, LibTorchHasAClassThatItsContractPermits) {
  for (const char* set : kInfinities)
    for (const char* dtype : {"f64", "f32", "bf16"})
      for (int seed = 1; seed < 6; ++seed) {
        const std::string line = filled(GetParam(), set, seed) + " dtype=" + dtype;
        for (const auto& [name, judged] : Ran(line).judged())
          EXPECT_EQ(judged.discrepancy.bad, 0)
              << line << " " << name << " got " << judged.discrepancy.worst.got << " want "
              << judged.discrepancy.worst.want;
      }
}

INSTANTIATE_TEST_SUITE_P(Norms, InfiniteWeights, testing::ValuesIn(kNorms),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// The control: a kernel that declares the form of its adjoint has one class, NaN where a channel
/// has terms of both signs.
TEST(InfiniteWeight, ADeclaredFormLeavesNoClassOpen) {
  Ran ran(filled(kNorms[0], "weight@0:inf", 1));
  ran.claim.contract = graph_contract(
      ran.graph, types_of(ran.graph, ran.c),
      parse_declared_contract("adjoint=standardized affine=plain weighting=first", ran.graph));
  EXPECT_GT(ran.judged().at("d_x").discrepancy.wrong_class, 0) << "LibTorch's infinities";
  Tensor& dx = ran.got.at("d_x");
  for (std::int64_t i = 0; i < dx.numel(); ++i) dx.set(i, kNan);
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.wrong_class, 0);
}

/// The other control: what an infinite weight has no part in is judged.
TEST(InfiniteWeight, OtherGroupsAreJudged) {
  Ran ran(filled(kNorms[1], "weight@0:inf", 1));
  Tensor& dx = ran.got.at("d_x");
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 0);
  dx.set(7, dx.at(7) + 1);
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 1);
}

}  // namespace
}  // namespace gradproof
