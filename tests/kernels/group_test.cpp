// SPDX-License-Identifier: Apache-2.0
// The three kernels with a GroupNorm are compared with plain double loops, over paths, layouts,
// types and optional parts.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "kernels/kernel.h"
#include "tests/support/catalog.h"
#include "tests/support/kernel_group_reference.h"

namespace gradproof {
namespace {

/// The roundings that an element goes through outside all sums, counted generously: the norm 6 each
/// way, each Swish and its slope 12 with exp's error.
constexpr double kPointwiseRoundings = 64;

/// The unit roundoffs of the accumulation that a number may be off, times its size.
double roundings_of(const Contract& contract) {
  double all = kPointwiseRoundings;
  for (const Reduction& r : contract.reductions) all += 2 * static_cast<double>(r.chain);
  return all;
}

/// The tensor's dtype if the run had to write it; nothing if it did not.
std::optional<DType> written_as(const Claim& claim, const std::string& name) {
  for (const TensorSpec& spec : claim.tensors)
    if (spec.name == name && (spec.role == Role::output || spec.role == Role::gradient))
      return spec.dtype;
  return std::nullopt;
}

/// The first number that is too far off, in words; empty when all are right.
std::string judged(const Case& c, Fault fault) {
  const Kernel& kernel = kernel_of(c);
  const Claim claim = kernel.claim(c);
  const Tensors inputs = make_inputs(c, claim);
  const KernelRun run = run_kernel(kernel, c, claim, inputs, execution_of(c));
  if (!run.findings.empty()) return "findings: " + run.findings.front().text;
  const double u = unit_roundoff(claim.contract.accumulation) * roundings_of(claim.contract);
  for (const auto& [name, expected] : reference_of(c, claim, inputs, fault)) {
    const std::optional<DType> dtype = written_as(claim, name);
    if (!dtype || !run.tensors.contains(name)) continue;
    const Tensor& got = run.tensors.at(name);
    for (std::size_t i = 0; i < expected.value.size(); ++i) {
      const double want = expected.value[i];
      const double rounded = unit_roundoff(*dtype) * std::abs(want);
      const double bound =
          u * expected.size[i] * (1 + unit_roundoff(*dtype)) + rounded + underflow_unit(*dtype);
      const double value = got.at(static_cast<std::int64_t>(i));
      if (std::abs(value - want) <= bound) continue;
      return name + "[" + std::to_string(i) + "] got " + std::to_string(value) + " want " +
             std::to_string(want) + " bound " + std::to_string(bound);
    }
  }
  return "";
}

std::vector<std::string> systems() {
  return {"groupnorm", "swish_bias_groupnorm", "groupnorm_swish_multiply_swish"};
}

void expect_right(const std::string& rest) {
  for (const std::string& word : systems()) {
    const Case c = parse_case(word + " dy=normal " + rest, schemas());
    EXPECT_EQ(judged(c, Fault::none), "") << to_string(c);
  }
}

/// Widths of one lane and of many, with and without a remainder, of one part and of several.
std::vector<std::string> shapes() {
  return {
      "rows=0 cols=8 groups=2",     "rows=1 cols=1 groups=1",    "rows=3 cols=5 groups=5",
      "rows=2 cols=12 groups=1",    "rows=7 cols=24 groups=4",   "rows=5 cols=34 groups=17",
      "rows=9 cols=66 groups=2",    "rows=70 cols=128 groups=2", "rows=17 cols=1024 groups=32",
      "rows=300 cols=40 groups=4",  "rows=3 cols=1000 groups=1", "rows=4 cols=516 groups=3",
      "rows=2 cols=1024 groups=1",  "rows=2 cols=1025 groups=1", "rows=3 cols=2052 groups=1",
      "rows=5 cols=9000 groups=2",  "rows=600 cols=24 groups=3", "rows=2 cols=70000 groups=1",
      "rows=6 cols=600 groups=300",
  };
}

TEST(KernelGroup, EveryShapeInEveryType) {
  for (const std::string& shape : shapes())
    for (const char* dtype : {"f32", "f64", "f16", "f16 params=f32", "bf16", "bf16 params=f32"})
      expect_right(shape + " dtype=" + dtype);
}

TEST(KernelGroup, MoreRowsThanAGridDimensionHasBlocks) {
  expect_right("rows=70000 cols=4 groups=2 op=both");
}

TEST(KernelGroup, EveryLayout) {
  for (const char* shape : {"rows=7 cols=24 groups=3", "rows=9 cols=30 groups=5",
                            "rows=2 cols=2052 groups=1", "rows=1 cols=8 groups=2"})
    for (const char* layout : {"contiguous", "padded", "offset", "transposed"})
      for (const char* dy : {"contiguous", "offset", "expanded", "repeat_rows", "repeat_cols"})
        expect_right(std::string(shape) + " layout=" + layout + " dy_layout=" + dy);
  for (const char* layout : {"padded", "offset", "transposed"})
    expect_right(std::string("rows=7 cols=24 groups=3 dtype=f16 out_layout=") + layout);
}

TEST(KernelGroup, StridesBeyondThirtyTwoBits) {
  for (const char* layout : {"giant_rows", "giant_cols"})
    expect_right(std::string("rows=3 cols=6 groups=2 layout=") + layout + " dy_layout=" + layout);
}

TEST(KernelGroup, EveryOptionalPart) {
  for (const char* shape : {"rows=7 cols=24 groups=3", "rows=3 cols=2100 groups=1"})
    for (const char* part : {"affine=no", "grads=input", "grads=parameters", "op=forward"})
      expect_right(std::string(shape) + " " + part);
  for (const char* shape : {"rows=7 cols=24 groups=3", "rows=0 cols=24 groups=3",
                            "rows=130 cols=300 groups=30", "rows=4 cols=1 groups=1"})
    for (const char* form : {"one", "row"})
      for (const char* rest : {"", " affine=no", " dtype=f16"}) {
        const std::string end = std::string(" dy=normal ") + shape + rest;
        const Case bias = parse_case("swish_bias_groupnorm bias=" + (form + end), schemas());
        EXPECT_EQ(judged(bias, Fault::none), "") << to_string(bias);
        const Case multiply =
            parse_case("groupnorm_swish_multiply_swish multiply=" + (form + end), schemas());
        EXPECT_EQ(judged(multiply, Fault::none), "") << to_string(multiply);
      }
}

TEST(KernelGroup, EveryScheduleGivesTheSame) {
  for (const char* schedule : {"reverse", "random:1", "random:2", "random:3"})
    for (const char* shape : {"rows=5 cols=300 groups=2", "rows=3 cols=2100 groups=1"})
      expect_right(std::string(shape) + " schedule=" + schedule);
}

TEST(KernelGroup, ControlAFaultOfTheReferenceIsSeen) {
  for (const Fault fault :
       {Fault::unbiased_variance, Fault::eps_outside_root, Fault::no_mean_term, Fault::no_xhat_term,
        Fault::last_channel_dropped, Fault::weight_outside_sums})
    for (const std::string& word : systems()) {
      const Case c = parse_case(word + " dy=normal rows=7 cols=66 groups=2 eps=0.001", schemas());
      EXPECT_NE(judged(c, fault), "") << to_string(c) << " fault " << static_cast<int>(fault);
    }
}

}  // namespace
}  // namespace gradproof
