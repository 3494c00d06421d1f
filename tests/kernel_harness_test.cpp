// SPDX-License-Identifier: Apache-2.0
// The harness tells what a kernel did beside its outputs; the kernel's bits depend on neither
// memory nor schedule.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/inputs.h"
#include "kernels/kernel.h"

namespace gradproof {
namespace {

Case case_of(const std::string& keys) {
  return parse_case("batchnorm_bias_divide_swish " + keys, schemas());
}

KernelRun run(const Kernel& kernel, const Case& c) {
  const Claim claim = kernel.claim(c);
  return run_kernel(kernel, c, claim, make_inputs(c, claim), execution_of(c));
}

KernelRun run(const Case& c) { return run(kernel_of(c), c); }

/// The kernel with an entry point that does only `fault`.
KernelRun run_with(const Case& c, const std::function<void(const Views&)>& fault) {
  Kernel kernel = kernel_of(c);
  kernel.entry.forward = [=](const Case&, const Views& views, simt::Backend) { fault(views); };
  kernel.entry.backward = [](const Case&, const Views&, simt::Backend) {};
  return run(kernel, c);
}

bool has(const KernelRun& run, const std::string& kind, const std::string& text) {
  for (const simt::Finding& finding : run.findings)
    if (finding.kind == kind && finding.text.find(text) != std::string::npos) return true;
  return false;
}

void expect_same_bits(const Case& a, const Case& b) {
  const KernelRun first = run(a);
  const KernelRun second = run(b);
  EXPECT_TRUE(first.findings.empty() && second.findings.empty()) << to_string(b);
  ASSERT_EQ(first.tensors.size(), second.tensors.size());
  for (const auto& [name, tensor] : first.tensors)
    EXPECT_TRUE(same_bits(tensor, get(second.tensors, name))) << name << " of " << to_string(b);
}

TEST(KernelHarness, BitsDependOnNeitherScheduleNorMemory) {
  for (const std::string rows : {"3", "33", "100", "1024", "1030", "2100"}) {
    const Case plain = case_of("cols=22 rows=" + rows);
    expect_same_bits(plain, plain);
    for (const char* schedule : {"reverse", "random:1", "random:2", "random:3"})
      expect_same_bits(plain, plain.with("schedule", schedule));
    for (const char* layout : {"padded", "offset", "transposed"})
      expect_same_bits(plain, plain.with("layout", layout).with("dy_layout", layout));
  }
}

TEST(KernelHarness, ControlAnotherSeedGivesOtherBits) {
  const Case c = case_of("rows=8");
  EXPECT_FALSE(same_bits(get(run(c).tensors, "y"), get(run(c.with("seed", "2")).tensors, "y")));
}

TEST(KernelHarness, UnwrittenOutputsAreNaN) {
  const KernelRun result = run_with(case_of("rows=4 cols=4"), [](const Views&) {});
  EXPECT_TRUE(result.findings.empty());
  for (const char* name : {"y", "mean", "d_x", "d_bias"})
    EXPECT_TRUE(std::isnan(get(result.tensors, name).at(0))) << name;
}

TEST(KernelHarness, AWriteBehindATensorIsTold) {
  const auto fault = [](const Views& v) { v.at("y").as<float>()[16] = 1; };
  EXPECT_TRUE(has(run_with(case_of("rows=4 cols=4"), fault), "guard-band", "y"));
}

TEST(KernelHarness, AWriteBehindTheWorkspaceIsTold) {
  const auto fault = [](const Views& v) {
    const View& workspace = v.at("workspace");
    workspace.as<float>()[workspace.shape[0]] = 1;
  };
  EXPECT_TRUE(has(run_with(case_of("rows=4 cols=4"), fault), "guard-band", "workspace"));
}

TEST(KernelHarness, AChangedInputIsTold) {
  const auto fault = [](const Views& v) { v.at("weight").as<float>()[2] += 1; };
  EXPECT_TRUE(has(run_with(case_of("rows=4 cols=4"), fault), "input-changed", "weight"));
}

TEST(KernelHarness, AWriteBetweenTheRowsIsTold) {
  const auto write = [](int at) { return [at](const Views& v) { v.at("y").as<float>()[at] = 1; }; };
  const Case c = case_of("rows=4 cols=5 layout=padded");
  EXPECT_FALSE(has(run_with(c, write(4)), "padding-written", "y"));  // an element
  EXPECT_TRUE(has(run_with(c, write(5)), "padding-written", "y"));
}

TEST(KernelHarness, EveryMutantIsAWordOfTheSchema) {
  for (const Kernel& kernel : catalog()) {
    EXPECT_GE(kernel.mutants.size(), 6u);
    const Key& key = kernel.schema->key("mutant", "");
    EXPECT_EQ(key.words.size(), kernel.mutants.size() + 1);  // and `none`
    for (const auto& [name, entry] : kernel.mutants)
      EXPECT_EQ(to_string(Case(kernel.schema).with("mutant", name)),
                kernel.schema->word + " mutant=" + name);
  }
}

TEST(KernelHarness, RowsOfOneInTrainingIsRefusedAsInLibTorch) {
  EXPECT_THROW(case_of("rows=1"), std::runtime_error);
  EXPECT_NO_THROW(case_of("rows=1 mode=eval"));
}

TEST(KernelHarness, NoRowsGiveZeroGradientsAndOneMoreBatch) {
  const KernelRun result = run(case_of("rows=0 cols=3 bias=one"));
  EXPECT_TRUE(result.findings.empty());
  for (const char* name : {"d_weight", "d_beta", "d_bias"})
    EXPECT_EQ(get(result.tensors, name).at(0), 0) << name;
  const Case c = case_of("rows=0 cols=3 bias=one");
  const Tensors inputs = make_inputs(c, kernel_of(c).claim(c));
  EXPECT_EQ(get(result.tensors, "num_batches_tracked").at(0),
            get(inputs, "num_batches_tracked").at(0) + 1);
  EXPECT_TRUE(same_bits(get(result.tensors, "running_var"), get(inputs, "running_var")));
}

}  // namespace
}  // namespace gradproof
