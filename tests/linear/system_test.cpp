// SPDX-License-Identifier: Apache-2.0
// The pairs as systems under test: Cases of their own.
#include <gtest/gtest.h>

#include "core/error.h"
#include "judge/model_pairs/linear_system.h"
#include "judge/model_pairs/pairs.h"
#include "tests/support/catalog.h"
#include "tests/support/pair_judged.h"

namespace gradproof {
namespace {

Case read(const std::string& text) { return parse_case(text, linear_schemas()); }

const std::vector<std::string>& words() {
  static const std::vector<std::string> all{"linear_batchnorm_bias_divide_swish",
                                            "linear_scale_batchnorm", "linear_swish_bias_groupnorm",
                                            "linear_groupnorm_swish_multiply_swish"};
  return all;
}

std::string failed(const std::string& text) {
  const Case c = read(text);
  return judged(run_linear(c), linear_pair_of(c.word()).names).failed;
}

TEST(LinearSystems, PassOnEveryPart) {
  for (const std::string& word : words())
    for (const char* keys : {"", " in=1 rows=2", " in=33 cols=12 rows=65 affine=no", " op=forward",
                             " op=backward eps=0.1", " offset=100", " fill=uniform dy=normal",
                             " weights=integers fill=integers"})
      EXPECT_EQ(failed(word + keys), "") << word << keys;
  for (const char* keys : {"batchnorm_bias_divide_swish mode=eval bias=row divide=-3",
                           "batchnorm_bias_divide_swish track=no bias=one",
                           "scale_batchnorm mode=eval momentum=none scale=one",
                           "scale_batchnorm momentum=none affine=no track=no",
                           "swish_bias_groupnorm groups=1 bias=row",
                           "groupnorm_swish_multiply_swish groups=24 multiply=one"})
    EXPECT_EQ(failed(std::string("linear_") + keys), "") << keys;
}

/// Whole numbers leave nothing to a bound: z is the sum.
TEST(LinearSystems, WholeNumbersAreExact) {
  for (const std::string& word : words()) {
    const LinearRun run = run_linear(read(word + " weights=integers fill=integers"));
    const auto all = compare_linear(run.linear_tensors());
    EXPECT_NE(all.at("z").why.find("exact"), std::string::npos) << all.at("z").why;
    EXPECT_EQ(all.at("z").discrepancy.max_ratio, 0);
  }
}

TEST(LinearSystems, ACaseIsAPureFunction) {
  const auto bits = [](const std::string& keys) {
    return run_linear(read("linear_swish_bias_groupnorm " + keys)).run.digests;
  };
  EXPECT_EQ(bits(""), bits(""));
  EXPECT_NE(bits(""), bits("seed=2"));
  EXPECT_NE(bits(""), bits("offset=1"));
}

TEST(LinearSystems, NamesAreTheModels) {
  const Case c = read("linear_groupnorm_swish_multiply_swish");
  EXPECT_EQ(record_name(c, "x"), "z");
  EXPECT_EQ(record_name(c, "d_x"), "d_z");
  EXPECT_EQ(record_name(c, "d_weight"), "d_group_norm.weight");
  EXPECT_EQ(record_name(c, "beta"), "group_norm.bias");
  EXPECT_EQ(record_name(c, "d_multiply"), "d_multiply_weight");
  EXPECT_EQ(record_name(read("linear_scale_batchnorm"), "running_var"), "bn.running_var");
  EXPECT_EQ(record_name(c, "mean"), "mean");
  const Systems systems{catalog(), model_pairs()};
  EXPECT_NE(systems.pair_of(c), nullptr);
  EXPECT_EQ(systems.tensor_name(c, "x"), "z");
  const Case kernel = parse_case("groupnorm", systems.schemas());
  EXPECT_EQ(systems.pair_of(kernel), nullptr);
  EXPECT_EQ(systems.tensor_name(kernel, "x"), "x");
  const std::vector<std::string> names = linear_pair_of(c.word()).build(c)->names().of("x") == "z"
                                             ? c.schema().tensors
                                             : std::vector<std::string>{};
  EXPECT_EQ(names, (std::vector<std::string>{"z", "y", "mean", "rstd", "d_z", "d_group_norm.weight",
                                             "d_group_norm.bias", "d_multiply_weight", "d_input",
                                             "d_gemm.weight", "d_gemm.bias"}));
}

TEST(LinearSystems, RefuseWhatTheirKernelsRefuse) {
  EXPECT_THROW(read("linear_scale_batchnorm rows=1"), UsageError);
  EXPECT_NO_THROW(read("linear_scale_batchnorm rows=1 mode=eval"));
  EXPECT_THROW(read("linear_swish_bias_groupnorm cols=10 groups=4"), UsageError);
  EXPECT_THROW(read("linear_swish_bias_groupnorm dtype=f64"), UsageError);
  EXPECT_THROW(read("linear_swish_bias_groupnorm layout=padded"), UsageError);
}

}  // namespace
}  // namespace gradproof
