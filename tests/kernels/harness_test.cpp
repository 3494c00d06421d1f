// SPDX-License-Identifier: Apache-2.0
// The harness reports what a kernel did beside its outputs; the kernel's bits depend on neither
// memory nor schedule.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "core/tensor/digest.h"
#include "kernels/kernel.h"
#include "tests/kernels/runs.h"

namespace gradproof {
namespace {

using Act = std::function<void(const Views&)>;

EntryPoints::Function only(const Act& act) {
  return [=](const Call& call) { act(call.views); };
}

/// The kernel with entry points that do only this.
KernelRun run_with(
    const Case& c, const Act& forward, const Act& backward = [](const Views&) {}) {
  Kernel kernel = kernel_of(c);
  kernel.entry = {only(forward), only(backward)};
  return run(kernel, c);
}

/// The kernel as a caller gets it who names a stream of his own and is not listened to.
KernelRun run_on_stream_0(const Case& c) {
  Kernel kernel = kernel_of(c);
  const auto deaf = [](const EntryPoints::Function& entry) {
    return [=](Call call) {
      call.stream = nullptr;
      entry(call);
    };
  };
  kernel.entry = {deaf(kernel.entry.forward), deaf(kernel.entry.backward)};
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
    for (const char* layout : {"padded", "offset", "transposed"})
      expect_same_bits(plain, plain.with("out_layout", layout));
  }
}

TEST(KernelHarness, ControlAnotherSeedGivesOtherBits) {
  const Case c = case_of("rows=8");
  EXPECT_FALSE(same_bits(get(run(c).tensors, "y"), get(run(c.with("seed", "2")).tensors, "y")));
}

/// The gradients of a Case whose dy shares memory, and of the same dy with memory of its own.
void expect_same_gradients(const Case& shared) {
  const Kernel& kernel = kernel_of(shared);
  const Case plain = shared.with("dy_layout", "contiguous");
  const Claim claim = kernel.claim(shared);
  const Claim plain_claim = kernel.claim(plain);
  const Tensors inputs = make_inputs(shared, claim);
  Tensors own = make_inputs(plain, plain_claim);
  const KernelRun other = run_kernel(kernel, plain, plain_claim, own, execution_of(plain));
  for (std::int64_t i = 0; i < own.at("dy").numel(); ++i)
    own.at("dy").set(i, get(inputs, "dy").at(i));
  const KernelRun wanted = run_kernel(kernel, plain, plain_claim, own, execution_of(plain));
  const KernelRun got = run_kernel(kernel, shared, claim, inputs, execution_of(shared));
  EXPECT_TRUE(got.findings.empty()) << to_string(shared);
  for (const char* name : {"d_x", "d_weight", "d_beta", "d_bias"}) {
    const Tensor& gradient = get(wanted.tensors, name);
    EXPECT_TRUE(same_bits(gradient, get(got.tensors, name))) << name << " " << to_string(shared);
    EXPECT_FALSE(same_bits(gradient, get(other.tensors, name))) << "the control: " << name;
  }
}

TEST(KernelHarness, RowsAndColumnsOfDyMayBeTheSameMemory) {
  for (const char* rows : {"9", "200", "1100"})
    for (const char* mode : {"train", "eval"})
      for (const char* layout : {"expanded", "repeat_rows", "repeat_cols"})
        expect_same_gradients(
            case_of("cols=20").with("rows", rows).with("mode", mode).with("dy_layout", layout));
}

TEST(KernelHarness, SharedMemoryHoldsTheLastElementWritten) {
  const Case c = case_of("rows=3 cols=2 dy_layout=repeat_rows set=dy@0,1:5;dy@2,1:7");
  const Tensor dy = get(make_inputs(c, kernel_of(c).claim(c)), "dy");
  for (const std::int64_t row : {0, 1, 2}) EXPECT_EQ(dy.at(2 * row + 1), 7);
  EXPECT_EQ(dy.bytes().size(), 2 * sizeof(float));
  EXPECT_NE(dy.at(0), dy.at(1));
}

TEST(KernelHarness, OutLayoutIsThatOfYAndDxAndAsXWhereNotSaid) {
  const auto strides = [](const std::string& keys, const char* name) {
    const Case c = case_of("rows=6 cols=5 " + keys);
    return kernel_of(c).claim(c).tensor(name).layout.strides;
  };
  for (const char* name : {"y", "d_x"}) {
    EXPECT_EQ(strides("layout=transposed", name), (Shape{1, 6}));
    EXPECT_EQ(strides("layout=transposed out_layout=contiguous", name), (Shape{5, 1}));
    EXPECT_EQ(strides("out_layout=padded", name), (Shape{12, 1}));
  }
  EXPECT_EQ(strides("out_layout=padded", "x"), (Shape{5, 1}));
}

TEST(KernelHarness, UnwrittenOutputsAreNaN) {
  const KernelRun result = run_with(case_of("rows=4 cols=4"), [](const Views&) {});
  EXPECT_TRUE(result.findings.empty());
  for (const char* name : {"y", "mean", "d_x", "d_bias"})
    EXPECT_TRUE(std::isnan(get(result.tensors, name).at(0))) << name;
}

#if !defined(__SANITIZE_ADDRESS__)  // which ends the program at the very write
TEST(KernelHarness, AWriteBehindATensorIsReported) {
  const auto fault = [](const Views& v) { v.at("y").as<float>()[16] = 1; };
  EXPECT_TRUE(has(run_with(case_of("rows=4 cols=4"), fault), "guard-band", "y"));
}

TEST(KernelHarness, AWriteBehindAWorkspaceIsReported) {
  const Case c = case_of("rows=4 cols=4");
  const Act nothing = [](const Views&) {};
  const Act fault = [](const Views& v) {
    const View& workspace = v.at("workspace");
    workspace.as<float>()[workspace.shape[0]] = 1;
  };
  EXPECT_TRUE(has(run_with(c, fault, nothing), "guard-band", "workspace of forward"));
  EXPECT_TRUE(has(run_with(c, nothing, fault), "guard-band", "workspace of backward"));
}
#endif

TEST(KernelHarness, BackwardDoesNotGetTheWorkspaceOfForward) {
  const auto leave = [](const char* where) {
    return [=](const Views& v) { v.at(where).as<float>()[0] = 1; };
  };
  const auto take = [](const char* where) {
    return [=](const Views& v) { v.at("d_bias").as<float>()[0] = v.at(where).as<float>()[0]; };
  };
  const auto taken = [&](const char* where) {
    return get(run_with(case_of("rows=4 cols=4"), leave(where), take(where)).tensors, "d_bias")
        .at(0);
  };
  EXPECT_TRUE(std::isnan(taken("workspace")));
  EXPECT_EQ(taken("mean"), 1);  // the control: this it does get
}

TEST(KernelHarness, ALaunchOnAnotherStreamThanTheCallersIsReported) {
  for (const char* keys :
       {"rows=4", "rows=1100", "rows=4 mode=eval", "rows=0", "rows=4 bias=one"}) {
    const Case c = case_of(keys);
    EXPECT_TRUE(has(run_on_stream_0(c), "stream", "stream 0 instead of the caller's")) << keys;
    EXPECT_TRUE(run(c).findings.empty()) << keys;  // the control: the product listens
  }
}

TEST(KernelHarness, AGradientThatNobodyWantsHasNoView) {
  const auto views_of = [](const std::string& keys) {
    std::string names;
    const auto note = [&](const Views& views) {
      for (const auto& [name, view] : views)
        if (name.starts_with("d_")) names += name + " ";
    };
    const Act nothing = [](const Views&) {};
    run_with(case_of("rows=4 cols=4 " + keys), nothing, note);
    return names;
  };
  EXPECT_EQ(views_of(""), "d_beta d_bias d_weight d_x ");
  EXPECT_EQ(views_of("grads=input"), "d_x ");
  EXPECT_EQ(views_of("grads=parameters affine=no"), "d_bias ");
}

TEST(KernelHarness, DigestsAloneAreThoseOfTheTensors) {
  const Case c = case_of("rows=9 cols=5");
  const Kernel& kernel = kernel_of(c);
  const Claim claim = kernel.claim(c);
  const Tensors inputs = make_inputs(c, claim);
  const KernelRun kept = run_kernel(kernel, c, claim, inputs, execution_of(c));
  const KernelRun lean = run_kernel(kernel, c, claim, inputs, execution_of(c), Keep::digests);
  EXPECT_TRUE(lean.tensors.empty());
  EXPECT_EQ(lean.digests, kept.digests);
  EXPECT_EQ(lean.digests.at("y"), digest(get(kept.tensors, "y")));
}

TEST(KernelHarness, AChangedInputIsReported) {
  const auto fault = [](const Views& v) { v.at("weight").as<float>()[2] += 1; };
  EXPECT_TRUE(has(run_with(case_of("rows=4 cols=4"), fault), "input-changed", "weight"));
}

TEST(KernelHarness, AWriteBetweenTheRowsIsReported) {
  const auto write = [](int at) { return [at](const Views& v) { v.at("y").as<float>()[at] = 1; }; };
  const Case c = case_of("rows=4 cols=5 layout=padded");
  EXPECT_FALSE(has(run_with(c, write(4)), "padding-written", "y"));  // an element
  EXPECT_TRUE(has(run_with(c, write(5)), "padding-written", "y"));
  const Case dense = case_of("rows=4 cols=5 layout=padded out_layout=contiguous");
  EXPECT_FALSE(has(run_with(dense, write(5)), "padding-written", "y"));  // the next row
}

}  // namespace
}  // namespace gradproof
