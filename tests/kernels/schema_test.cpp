// SPDX-License-Identifier: Apache-2.0
// The texts that a Case line of a kernel may have, those that it may not, and its smallest extents.
#include <string>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "core/error.h"
#include "kernels/kernel.h"
#include "tests/kernels/runs.h"

namespace gradproof {
namespace {

TEST(KernelSchema, EveryMutantIsAWordOfTheSchema) {
  for (const Kernel& kernel : test_kernels()) {
    EXPECT_FALSE(kernel.mutants.empty()) << kernel.schema->word;
    const Key& key = kernel.schema->key("mutant", "");
    EXPECT_EQ(key.words.size(), kernel.mutants.size() + 1);  // and `none`
    for (const auto& [name, entry] : kernel.mutants)
      EXPECT_EQ(to_string(Case(kernel.schema).with("mutant", name)),
                kernel.schema->word + " mutant=" + name);
  }
}

TEST(KernelSchema, RowsOfOneInTrainingIsRefusedAsInLibTorch) {
  EXPECT_THROW(case_of("rows=1"), std::runtime_error);
  EXPECT_NO_THROW(case_of("rows=1 mode=eval"));
}

TEST(KernelSchema, EpsAndMomentumOutsideTheirRangeAreRefused) {
  const auto refusal = [](const std::string& key, const std::string& value) {
    return refusal_of(case_of("").with(key, value));
  };
  for (const char* eps : {"0", "-1e-5", "1e-50", "-inf", "inf", "1e39"})
    EXPECT_NE(refusal("eps", eps).find("eps must be positive"), std::string::npos) << eps;
  for (const char* momentum : {"-0.1", "1.01", "inf"})
    EXPECT_NE(refusal("momentum", momentum).find("momentum must be"), std::string::npos);
  for (const char* eps : {"1.2e-38", "1e-12", "1", "3.4e38"}) EXPECT_EQ(refusal("eps", eps), "");
  for (const char* momentum : {"0", "1", "none"}) EXPECT_EQ(refusal("momentum", momentum), "");
}

TEST(KernelExtents, NoRowsGiveZeroGradientsAndOneMoreBatch) {
  const Case c = case_of("rows=0 cols=3 bias=one");
  const Kernel& kernel = kernel_of(c);
  const Claim claim = kernel.claim(c);
  const Tensors inputs = make_inputs(c, claim);
  const KernelRun result = run_kernel(kernel, c, claim, inputs, execution_of(c));
  EXPECT_TRUE(result.findings.empty());
  for (const char* name : {"d_weight", "d_beta", "d_bias"})
    EXPECT_EQ(get(result.tensors, name).at(0), 0) << name;
  EXPECT_EQ(get(result.tensors, "num_batches_tracked").at(0),
            get(inputs, "num_batches_tracked").at(0) + 1);
  EXPECT_TRUE(same_bits(get(result.tensors, "running_var"), get(inputs, "running_var")));
}

}  // namespace
}  // namespace gradproof
