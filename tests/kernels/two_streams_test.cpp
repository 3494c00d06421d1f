// SPDX-License-Identifier: Apache-2.0
// If two calls are in flight, a kernel that keeps partial sums in a static workspace is wrong, in
// each kernel and type of the catalog by a Case of the suite push, and in a kernel of a user. On
// one stream, the control, neither is wrong. The product is right on both.
#include "kernels/harness/two_streams.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "core/case/inputs.h"
#include "kernels/harness/interleaved.h"
#include "kernels/own/own_kernel.h"
#include "simt/simt.h"

namespace gradproof {
namespace {

const Catalog& products() {
  static const Catalog all = catalog();
  return all;
}

/// The call among others on a kernel that need not be the Case's own.
KernelRun run(const Kernel& kernel, const Case& c) {
  const Claim claim = kernel.claim(c);
  return run_interleaved(kernel, c, claim, make_inputs(c, claim), execution_of(c));
}

KernelRun run_alone(const Kernel& kernel, const Case& c) {
  const Claim claim = kernel.claim(c);
  return run_kernel(kernel, c, claim, make_inputs(c, claim), execution_of(c));
}

/// The first finding; or the tensors whose bits another run does not have.
std::string difference(const KernelRun& run, const KernelRun& expected) {
  for (const simt::Finding& finding : run.findings) return finding.kind + ": " + finding.text;
  std::string names;
  for (const auto& [name, tensor] : expected.tensors)
    if (!same_bits(tensor, get(run.tensors, name))) names += name + " ";
  return names;
}

/// The entry point on one workspace for all calls that there ever are.
EntryPoints::Function on_static_workspace(const EntryPoints::Function& entry) {
  constexpr std::size_t kBytes = std::size_t{1} << 22;
  const auto all = std::make_shared<simt::Memory>(simt::Backend::cpu, kBytes, "static workspace");
  return [=](Call call) {
    View& workspace = call.views.at("workspace");
    ASSERT_LE(static_cast<std::size_t>(numel(workspace.shape)) * sizeof(float), kBytes);
    workspace.data = all->data();
    entry(call);
  };
}

Kernel with_static_workspace(Kernel kernel) {
  kernel.entry = {on_static_workspace(kernel.entry.forward),
                  on_static_workspace(kernel.entry.backward)};
  return kernel;
}

TEST(TwoStreams, TheProductHasTheBitsOfARunAlone) {
  for (const Kernel& kernel : products().kernels())
    for (const char* rows : {"0", "2", "33", "1100"}) {
      const Case c = Case(kernel.schema).with("rows", rows).with("schedule", "random:3");
      EXPECT_EQ(difference(run(kernel, c.with("streams", "2")), run_alone(kernel, c)), "")
          << to_string(c);
    }
  const Case sparse = parse_case(
      "batchnorm_bias_divide_swish rows=5 cols=3 layout=giant_rows dy_layout=repeat_rows streams=2",
      products().schemas());
  EXPECT_EQ(
      difference(run(products().of(sparse), sparse), run_alone(products().of(sparse), sparse)), "");
}

/// The first Case of the suite of this kernel and these types that convicts it; empty where none
/// does.
std::string convicting_case(const Kernel& planted, const std::vector<Case>& suite,
                            const std::string& dtype, const std::string& params) {
  for (const Case& c : suite) {
    if (c.word() != planted.schema->word || !c.is("dtype", dtype) || !c.is("params", params) ||
        c.is("streams", "1"))
      continue;
    const KernelRun alone = run_alone(planted, c);
    EXPECT_EQ(difference(run(planted, c.with("streams", "1")), alone), "") << to_string(c);
    if (!difference(run(planted, c), alone).empty()) return to_string(c);
  }
  return {};
}

TEST(TwoStreams, AStaticWorkspaceIsConvictedInEachKernelAndTypeByTheSuitePush) {
  const std::vector<Case> suite =
      read_suite(GRADPROOF_SOURCE_DIR "/fixtures/cases/push.cases", products().schemas());
  for (const Kernel& kernel : products().kernels()) {
    const Kernel planted = with_static_workspace(kernel);
    for (const char* dtype : {"f32", "f64", "f16", "bf16"})
      EXPECT_NE(convicting_case(planted, suite, dtype, "same"), "")
          << kernel.schema->word << " " << dtype;
    for (const char* dtype : {"f16", "bf16"})
      EXPECT_NE(convicting_case(planted, suite, dtype, "f32"), "")
          << kernel.schema->word << " " << dtype;
  }
}

constexpr unsigned kThreads = 64;

__global__ void write_scaled(const float* x, float* kept, unsigned size) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < size) kept[i] = 2 * x[i];
}

__global__ void add_one(const float* kept, float* y, unsigned size) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < size) y[i] = kept[i] + 1;
}

/// y = 2 x + 1 in two launches; what the first leaves is in memory that `kept` says.
OwnKernel own_kernel(const std::function<float*(const Call&)>& kept) {
  OwnKernel own;
  own.word = "twice_and_one";
  own.pipeline = "y = add(multiply(x[i,j], 2), 1)";
  own.workspace = [](const Call& call) {
    return static_cast<std::size_t>(numel(call.view("x").shape)) * sizeof(float);
  };
  own.forward = [kept](const Call& call) {
    const auto size = static_cast<unsigned>(numel(call.view("x").shape));
    const simt::Launch launch{
        .grid = dim3(size / kThreads + 1), .block = dim3(kThreads), .stream = call.stream};
    simt::launch(write_scaled, launch, call.view("x").as<float>(), kept(call), size);
    simt::launch(add_one, launch, kept(call), call.view("y").as<float>(), size);
  };
  return own;
}

TEST(TwoStreams, AStaticWorkspaceOfAUsersKernelIsConvicted) {
  constexpr unsigned kMost = 4096;
  static float workspace[kMost];
  const Kernel planted = system_of(own_kernel([](const Call&) { return workspace; }));
  const Kernel right =
      system_of(own_kernel([](const Call& call) { return call.view("workspace").as<float>(); }));
  for (const Kernel* const kernel : {&planted, &right}) {
    const Case c = Case(kernel->schema).with("i", "9").with("j", "33");
    const KernelRun alone = run_alone(*kernel, c);
    EXPECT_EQ(difference(run(*kernel, c), alone), "");
    EXPECT_EQ(difference(run(*kernel, c.with("streams", "2")), alone),
              kernel == &planted ? "y " : "");
  }
}

}  // namespace
}  // namespace gradproof
