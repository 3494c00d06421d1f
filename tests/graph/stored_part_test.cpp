// SPDX-License-Identifier: Apache-2.0
// LibTorch keeps parts of a stage in a type of 16 bits. For each such clause its results are within
// the bound with the clause, and over it without.
#include <ostream>

#include <gtest/gtest.h>

#include "tests/graph/ran.h"

namespace gradproof {
namespace {

using enum StoredPart;

/// A Case in which LibTorch's result shows the part of the stage.
struct Clause {
  const char* name;
  const char* stage;
  StoredPart part;
  const char* line;
};

void PrintTo(const Clause& clause, std::ostream* out) { *out << clause.line; }

const Clause kClauses[] = {
    {"layer_norm_statistics", "layer_norm", saved_statistics,
     "{y = layer_norm(x, weight, beta)} rows=2100 cols=3 fill=offset:3 dtype=f16 seed=1"},
    {"layer_norm_sums", "layer_norm", parameter_sums,
     "{y = layer_norm(x, weight, beta)} rows=3 cols=200 fill=scaled:8 dy=normal dtype=f16 seed=3"},
    {"group_norm_statistics", "group_norm", saved_statistics,
     "{y = group_norm(x[n,c,h,w], weight, beta, groups=2)} n=24 c=2 h=3 w=3 dy=ones dtype=f16 "
     "seed=1"},
    {"batch_norm_statistics", "batch_norm", saved_statistics,
     "{y = batch_norm(x, weight, beta)} rows=3 cols=200 fill=offset:30 dy=normal dtype=f16 seed=2"},
    {"batch_norm_used", "batch_norm", used_statistics,
     "{y = batch_norm(x, weight, beta)} rows=64 cols=200 fill=offset:100 dy=normal dtype=bf16 "
     "seed=1"},
    {"instance_norm_statistics", "instance_norm", saved_statistics,
     "{y = instance_norm(x[n,c,h,w], weight, beta)} n=3 c=4 h=5 w=6 fill=offset:30 dy=normal "
     "dtype=f16 seed=1"},
    {"instance_norm_sums", "instance_norm", parameter_sums,
     "{y = instance_norm(x[n,c,h,w], weight, beta)} n=24 c=2 h=3 w=3 fill=scaled:8 dy=normal "
     "dtype=f16 seed=2"},
    {"batch_norm_eval_operations", "batch_norm_eval", each_operation,
     "{b = batch_norm_eval(x[n,c,h,w], mean, var, weight, beta); y = sum(b, h, w)} n=24 c=2 h=3 "
     "w=3 fill=scaled:8 dy=normal dtype=f16 seed=1"},
    {"instance_norm_eval_operations", "instance_norm_eval", each_operation,
     "{b = instance_norm_eval(x[n,c,h,w], mean, var, weight, beta); y = sum(b, h, w)} n=24 c=2 "
     "h=3 w=3 fill=scaled:8 dy=normal dtype=f16 seed=1"},
    {"instance_norm_eval_samples", "instance_norm_eval", sample_sums,
     "{y = instance_norm_eval(x[n,c,h,w], mean, var, weight, beta)} n=24 c=2 h=3 w=3 "
     "fill=scaled:8 dy=normal dtype=f16 seed=2"},
    {"running_mean_operations", "running_mean", each_operation,
     "{y = running_mean(x, mean)} rows=3 cols=200 fill=offset:3 dtype=bf16 seed=2"},
    {"running_var_operations", "running_var", each_operation,
     "{y = running_var(x, mean)} rows=3 cols=200 dtype=bf16 seed=3"},
    {"nll_loss_sum", "nll_loss", loss_sum,
     "{y = nll_loss(x, labels)} rows=64 cols=8 fill=scaled:8 dy=normal dtype=f16 seed=2"},
    {"avg_pool_overlaps", "avg_pool", overlapping_sums,
     "{y = avg_pool(x[n,c,h,w], window=3, stride=1)} n=6 c=4 h=12 w=12 fill=scaled:8 dy=normal "
     "dtype=f16 seed=2"},
    // A quarter of a cotangent is below the normal numbers, and rounded before it is added.
    {"avg_pool_terms", "avg_pool", overlapping_sums,
     "{v1 = avg_pool(x[n,c,h,w], stride=1, window=2); v2 = multiply(v1, t1[n,c,h.v1,w.v1])} h=5 "
     "w=4 n=4 c=4 dtype=f16 fill=scaled:0.001 dy=normal seed=842"},
    {"max_pool_overlaps", "max_pool", overlapping_sums,
     "{y = max_pool(x[n,c,h,w], window=3, stride=1)} n=6 c=4 h=12 w=12 fill=offset:30 dy=normal "
     "dtype=f16 seed=3"},
    {"log_softmax_sum", "log_softmax", log_sum,
     "{y = log_softmax(x)} rows=2100 cols=3 fill=scaled:8 dy=normal dtype=f16 seed=2"},
    {"log_softmax_logarithm_alone", "log_softmax", log_sum,
     "{y = log_softmax(x)} rows=2100 cols=3 dtype=f16 seed=3"},
    // A running sum beyond the storage type is Inf, and NaN with an Inf of the other sign.
    {"layer_norm_range", "layer_norm", parameter_sums,
     "{y = layer_norm(x, weight, beta)} rows=3 cols=4 "
     "set=dy@0,1:40000;dy@1,1:40000;dy@2,1:-inf dtype=f16 seed=1"},
    {"max_pool_range", "max_pool", overlapping_sums,
     "{y = max_pool(x[n,c,h,w], window=3, stride=1)} n=1 c=1 h=3 w=9 "
     "set=x@0,0,1,2:9;dy@0,0,0,0:40000;dy@0,0,0,1:40000;dy@0,0,0,2:-inf dtype=f16 seed=1"},
    // sum dy (x - mean) rstd^2/N in 16 bits, of a dy that does not lie one after the other.
    {"batch_norm_slope_range", "batch_norm", projection,
     "{h = batch_norm(x, weight); y = sum(h, cols)} rows=37 cols=13 fill=scaled:0.001 "
     "dy=scaled:1000 dtype=f16 seed=915"},
    // dy (x - mean) in 16 bits, before it is multiplied by 1/std.
    {"batch_norm_weight_range", "batch_norm", parameter_sums,
     "{h = batch_norm(x, weight, beta); y = sum(h, cols)} rows=6 cols=17 fill=loguniform "
     "dy=scaled:1000 dtype=f16 seed=2"},
    // Two such products pass the range, and their sum is small.
    {"batch_norm_product_range", "batch_norm", parameter_sums,
     "{h = batch_norm(x); y = sum(h, cols)} rows=11 cols=3 dtype=f16 "
     "set=x@0,1:100;x@1,1:100;dy@0:2000;dy@1:-2000 seed=675"},
    {"sigmoid_factors", "sigmoid", slope_factors,
     "{y = sigmoid(x)} rows=2100 cols=3 fill=offset:3 dtype=f16 seed=3"},
};

std::int64_t over_the_bound(const Ran& ran) {
  std::int64_t bad = 0;
  for (const auto& [name, judged] : ran.judged()) bad += judged.discrepancy.bad;
  return bad;
}

class StoredParts : public testing::TestWithParam<Clause> {};

TEST_P(StoredParts, LibTorchIsWithinTheBound) {
  EXPECT_EQ(over_the_bound(Ran(GetParam().line)), 0);
}

/// The control: LibTorch does round there.
TEST_P(StoredParts, WithoutTheClauseItIsNot) {
  Ran ran(GetParam().line);
  EXPECT_EQ(ran.claim.contract.stored_parts[GetParam().stage].erase(GetParam().part), 1);
  EXPECT_GT(over_the_bound(ran), 0);
}

/// The other control: the clause makes no bound so wide that wrong results pass.
TEST_P(StoredParts, WithItResultsOfAnotherSeedAreFound) {
  Ran ran(GetParam().line);
  ran.got = Ran(std::string(GetParam().line) + "1").got;
  EXPECT_GT(over_the_bound(ran), 0);
}

// The variance, its sum with eps, the root and the reciprocal are rounded, each to float16, and all
// to one side.
TEST(StoredRoot, IsRoundedBeforeItsReciprocal) {
  Ran ran(
      "{v1 = rstd(x[rows,cols], rows)} rows=30 cols=18 dtype=f16 fill=uniform dy=normal seed=931");
  EXPECT_EQ(over_the_bound(ran), 0);
  EXPECT_EQ(ran.got.at("v1").at(17), 4.01171875);
  ran.got.at("v1").set(17, 4.015625);
  EXPECT_EQ(over_the_bound(ran), 1) << "a control: the next number";
}

INSTANTIATE_TEST_SUITE_P(Clauses, StoredParts, testing::ValuesIn(kClauses),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace gradproof
