// SPDX-License-Identifier: Apache-2.0
// A kernel that keeps anything from one call to the next is reported, whatever it finds it by; a
// plain run, the control, does not report it. The product's bits are those of a plain run.
#include "kernels/harness/interleaved.h"

#include <cstring>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

Case kernel_case(const std::string& text) { return parse_case(text, schemas()); }

const std::string kBatchNorm = "batchnorm_bias_divide_swish rows=9 cols=6";

/// One Case on one kernel, alone or interleaved.
struct JudgedKernel {
  Case c;
  Kernel kernel;
  Claim claim;
  Tensors inputs;

  explicit JudgedKernel(const Case& of)
      : c(of), kernel(kernel_of(of)), claim(kernel.claim(of)), inputs(make_inputs(of, claim)) {}

  KernelRun alone() const { return run_kernel(kernel, c, claim, inputs, execution_of(c)); }
  KernelRun interleaved() const {
    return run_interleaved(kernel, c, claim, inputs, execution_of(c));
  }
};

/// The first finding, "kind: text"; or the tensors whose bits another run does not have.
std::string difference(const KernelRun& run, const KernelRun& expected) {
  for (const simt::Finding& finding : run.findings) return finding.kind + ": " + finding.text;
  std::string names;
  for (const auto& [name, tensor] : expected.tensors)
    if (!same_bits(tensor, get(run.tensors, name))) names += name + " ";
  return names;
}

std::size_t bytes_of(const View& view) {
  return static_cast<std::size_t>(numel(view.shape)) * size_of(view.dtype);
}

TEST(KernelInterleaved, LeavesTheBitsOfARunAlone) {
  for (const char* keys :
       {"rows=33", "rows=33 schedule=random:3", "rows=33 mode=eval", "rows=33 op=forward",
        "rows=33 momentum=none", "rows=1100", "rows=0", "rows=5 cols=3 layout=padded dtype=f16",
        "rows=5 cols=3 layout=giant_rows", "rows=5 cols=3 dy_layout=repeat_rows",
        "rows=9 cols=4 set=x@3,2:nan;running_mean@1:inf", "rows=7 cols=1 grads=input"}) {
    const JudgedKernel judged(kernel_case(std::string("batchnorm_bias_divide_swish ") + keys));
    EXPECT_EQ(difference(judged.interleaved(), judged.alone()), "") << keys;
  }
  for (const Kernel& kernel : test_kernels()) {
    const JudgedKernel judged{Case(kernel.schema)};
    const KernelRun run = judged.interleaved();
    EXPECT_EQ(difference(run, judged.alone()), "") << kernel.schema->word;
    EXPECT_EQ(run.digests, judged.alone().digests);
  }
}

TEST(KernelInterleaved, AResultThatALaterCallChangesIsReportedByName) {
  for (const std::string name : {"y", "mean", "rstd"}) {
    JudgedKernel judged(kernel_case(kBatchNorm));
    void* first = nullptr;
    const auto forward = judged.kernel.entry.forward;
    judged.kernel.entry.forward = [&](const Call& call) {
      forward(call);
      const View& view = call.views.at(name);
      if (first == nullptr) first = view.data;
      std::memcpy(first, view.data, bytes_of(view));  // what it hands out is the first call's
    };
    EXPECT_EQ(difference(judged.interleaved(), {}),
              "result-changed: " + name + " of an earlier call was changed by a later one");
    first = nullptr;
    EXPECT_TRUE(judged.alone().findings.empty());
  }
}

TEST(KernelInterleaved, AGradientThatALaterCallChangesIsReportedByName) {
  JudgedKernel judged(kernel_case(kBatchNorm));
  void* first = nullptr;
  const auto backward = judged.kernel.entry.backward;
  judged.kernel.entry.backward = [&](const Call& call) {
    backward(call);
    const View& view = call.views.at("d_bias");
    if (first == nullptr) first = view.data;
    std::memcpy(first, view.data, bytes_of(view));
  };
  EXPECT_EQ(difference(judged.interleaved(), {}),
            "result-changed: d_bias of an earlier call was changed by a later one");
  first = nullptr;
  EXPECT_TRUE(judged.alone().findings.empty());
}

using Bytes = std::vector<std::byte>;

Bytes read(const View& view) {
  const auto* const begin = view.as<std::byte>();
  return {begin, begin + bytes_of(view)};
}

void write(const View& view, const Bytes& bytes) {
  std::memcpy(view.data, bytes.data(), bytes.size());
}

/// The entry point, whose `result` is what it gave for the same key the first time.
template <class KeyOf>
EntryPoints::Function kept(const EntryPoints::Function& entry, const std::string& result,
                           const KeyOf& key_of) {
  return [=, results = std::map<std::uintptr_t, Bytes>()](const Call& call) mutable {
    entry(call);
    const View& view = call.views.at(result);
    const auto [place, is_new] = results.emplace(key_of(call), Bytes());
    if (is_new) place->second = read(view);
    write(view, place->second);
  };
}

std::uintptr_t address(const Call& call, const std::string& name) {
  return reinterpret_cast<std::uintptr_t>(call.views.at(name).data);
}

TEST(KernelInterleaved, AResultKeptByTheAddressOfAnInputIsWrong) {
  for (const std::string input : {"x", "weight"}) {
    JudgedKernel judged(kernel_case(kBatchNorm));
    const KernelRun expected = judged.alone();
    const auto forward = judged.kernel.entry.forward;
    const auto by_input = [=](const Call& call) { return address(call, input); };
    judged.kernel.entry.forward = kept(forward, "y", by_input);
    EXPECT_EQ(difference(judged.alone(), expected), "");
    judged.kernel.entry.forward = kept(forward, "y", by_input);
    EXPECT_EQ(difference(judged.interleaved(), expected), "y ");
  }
}

TEST(KernelInterleaved, AGradientKeptByTheAddressOfDyIsWrong) {
  JudgedKernel judged(kernel_case("swish_bias rows=9 cols=6"));
  const KernelRun expected = judged.alone();
  const auto backward = judged.kernel.entry.backward;
  const auto by_dy = [](const Call& call) { return address(call, "dy"); };
  judged.kernel.entry.backward = kept(backward, "d_bias", by_dy);
  EXPECT_EQ(difference(judged.alone(), expected), "");
  judged.kernel.entry.backward = kept(backward, "d_bias", by_dy);
  EXPECT_EQ(difference(judged.interleaved(), expected), "d_bias ");
}

TEST(KernelInterleaved, AResultOfTheFirstCallOfAllIsWrong) {
  const auto once = [](const Call&) { return std::uintptr_t{0}; };
  JudgedKernel forward(kernel_case(kBatchNorm));
  const KernelRun expected = forward.alone();
  forward.kernel.entry.forward = kept(kernel_of(forward.c).entry.forward, "y", once);
  EXPECT_EQ(difference(forward.interleaved(), expected), "y ");
  JudgedKernel backward(kernel_case(kBatchNorm));
  backward.kernel.entry.backward = kept(kernel_of(forward.c).entry.backward, "d_beta", once);
  EXPECT_EQ(difference(backward.interleaved(), expected), "d_beta ");
}

TEST(KernelInterleaved, AStatisticOfTheLastForwardIsWrong) {
  JudgedKernel judged(kernel_case(kBatchNorm));
  const KernelRun expected = judged.alone();
  const EntryPoints entry = judged.kernel.entry;
  Bytes last;
  judged.kernel.entry.forward = [&](const Call& call) {
    entry.forward(call);
    last = read(call.views.at("rstd"));
  };
  judged.kernel.entry.backward = [&](Call call) {
    call.views.at("rstd").data = last.data();
    entry.backward(call);
  };
  EXPECT_EQ(difference(judged.alone(), expected), "");
  EXPECT_EQ(difference(judged.interleaved(), expected), "d_beta d_bias d_weight d_x ");
}

TEST(KernelInterleaved, AnInputThatChangesInAnyOfTheCallsIsReported) {
  for (const int which : {1, 2, 3}) {
    JudgedKernel judged(kernel_case(kBatchNorm));
    const auto forward = judged.kernel.entry.forward;
    int calls = 0;
    judged.kernel.entry.forward = [&](const Call& call) {
      forward(call);
      if (++calls == which) call.views.at("x").as<float>()[4] += 1;
    };
    EXPECT_EQ(difference(judged.interleaved(), {}),
              "input-changed: x is only read, but its bytes changed")
        << which;
  }
}

}  // namespace
}  // namespace gradproof
