// SPDX-License-Identifier: Apache-2.0
// A half-precision sum that blocks add up in the order of their arrival has other bits from run to
// run before it is rounded, and as a rule the same ones behind. Two large numbers that cancel, the
// first and the last of a column, show it.
#include <string>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "kernels/kernel.h"
#include "kernels/own/own_kernel.h"
#include "simt/simt.h"

namespace gradproof {
namespace {

constexpr unsigned kChunk = 128;

__global__ void clear(float* sums, unsigned columns) {
  for (unsigned j = 0; j < columns; ++j) sums[j] = 0;
}

__global__ void add_chunk(const __nv_bfloat16* x, float* sums, unsigned rows, unsigned columns) {
  float sum = 0;
  const unsigned first = blockIdx.x * kChunk;
  for (unsigned i = first; i < rows && i < first + kChunk; ++i)
    sum += __bfloat162float(x[i * columns + threadIdx.x]);
  atomicAdd(&sums[threadIdx.x], sum);
}

__global__ void round_sums(const float* sums, __nv_bfloat16* y, unsigned columns) {
  for (unsigned j = 0; j < columns; ++j) y[j] = __float2bfloat16_rn(sums[j]);
}

/// The sum over rows in bf16, of chunks in the order of their arrival. It promises the same bits.
Kernel unordered_sum() {
  OwnKernel own;
  own.word = "unordered_sum";
  own.pipeline = "y = sum(x[i,j], i)";
  own.dtypes = {DType::bf16};
  own.workspace = [](const Call& call) {
    return static_cast<std::size_t>(call.extent("j")) * sizeof(float);
  };
  own.forward = [](const Call& call) {
    const auto rows = static_cast<unsigned>(call.extent("i"));
    const auto columns = static_cast<unsigned>(call.extent("j"));
    float* const sums = call.view("workspace").as<float>();
    simt::launch(clear, {.stream = call.stream}, sums, columns);
    simt::launch(add_chunk,
                 {.grid = dim3(rows / kChunk + 1), .block = dim3(columns), .stream = call.stream},
                 call.view("x").as<__nv_bfloat16>(), sums, rows, columns);
    simt::launch(round_sums, {.stream = call.stream}, sums, call.view("y").as<__nv_bfloat16>(),
                 columns);
  };
  return system_of(own);
}

/// The number of eight random schedules that leave other bits than the blocks in their order.
int schedules_with_other_bits(const std::string& keys) {
  const Kernel kernel = unordered_sum();
  const Case c = parse_case("unordered_sum i=1100 j=4 " + keys, {kernel.schema});
  const Claim claim = kernel.claim(c);
  const auto digests = [&](const std::string& schedule) {
    const Case scheduled = c.with("schedule", schedule);
    return run_kernel(kernel, scheduled, claim, make_inputs(scheduled, claim),
                      execution_of(scheduled))
        .digests;
  };
  int others = 0;
  for (int seed = 1; seed <= 8; ++seed)
    others += digests("random:" + std::to_string(seed)) != digests("forward");
  return others;
}

TEST(OrderOfSums, NumbersThatCancelShowAnotherOrderBehindTheRounding) {
  EXPECT_EQ(schedules_with_other_bits("seed=1"), 0);  // the control: rounding hides it
  EXPECT_GE(schedules_with_other_bits("seed=1 set=x@0,0:1e8;x@1099,0:-1e8"), 6);
}

}  // namespace
}  // namespace gradproof
