// SPDX-License-Identifier: Apache-2.0
// The contract's chains of additions against those that the column kernels really have: their own
// source runs on a number that counts, launch by launch.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/catalog.h"
#include "tests/support/kernel_counted.h"

namespace gradproof {
namespace {

/// What one element goes through outside all reductions: ((weight xhat + beta) + bias) on the way
/// there, (g - mean) - xhat mean on the way back.
constexpr std::int64_t kPointwise = 2;

/// A number that counts is twice as large as the one it stands for, and so is the shared memory.
simt::Options twice_the_shared_memory() {
  simt::Options options;
  options.profile.opt_in_shared_bytes *= sizeof(Counted) / sizeof(float);
  return options;
}

/// The longest chain over several launches; numbers keep their depth in memory from one to the
/// next.
std::int64_t longest_of(const Launches& launches) {
  const simt::Scope scope(twice_the_shared_memory());
  std::int64_t longest = 0;
  for (const auto& launch : launches) {
    launch();
    longest = std::max<std::int64_t>(longest, simt::max_addition_chain());
  }
  return longest;
}

std::int64_t measured_forward(const Case& c, const CountedMemory& memory) {
  const Passes& passes = column_kernels().at(c.word());
  return longest_of(passes.statistics(passes.forward(memory.call)));
}

std::int64_t measured_backward(const Case& c, const CountedMemory& memory) {
  const Passes& passes = column_kernels().at(c.word());
  return longest_of(passes.gradients(passes.backward(memory.call)));
}

std::int64_t measured_shared(const Case& c, const CountedMemory& memory) {
  const Passes& passes = column_kernels().at(c.word());
  return longest_of({[&] { passes.shared(passes.backward(memory.call)); }});
}

/// A declaration is right when no chain is longer and one is as long.
bool is_right(std::int64_t declared, std::int64_t measured) {
  return declared > kPointwise ? measured == declared : measured <= kPointwise;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& [word, passes] : column_kernels()) {
    const Kernel& kernel = kernel_named(word);
    const std::string vector = word.starts_with("swish_multiply") ? "multiply"
                               : word.starts_with("scale")        ? "scale"
                                                                  : "bias";
    const auto add = [&](const std::string& keys) {
      all.push_back(parse_case(word + " dy=normal " + keys, schemas()));
    };
    for (const int rows : {2,   3,   5,    8,    31,   32,   33,   64,   100,   128,  129,
                           257, 512, 1024, 1025, 1030, 1537, 2048, 4100, 16897, 20000}) {
      const std::string size = "rows=" + std::to_string(rows);
      add(size + " cols=4");
      add(size + " cols=5 " + vector + "=one");
      if (kernel.schema->has("mode")) add(size + " cols=3 mode=eval");
    }
    add("rows=40 cols=300 " + vector + "=one");
    add("rows=1200 cols=700 " + vector + "=one");
  }
  return all;
}

bool is_shared(const Case& c) {
  for (const char* name : {"bias", "scale", "multiply"})
    if (c.schema().has(name) && c.is(name, "one")) return true;
  return false;
}

TEST(KernelChain, DeclaredStatisticsChainIsTheKernelsOwn) {
  int judged = 0;
  for (const Case& c : cases()) {
    if (!c.schema().has("mode") || !c.is("mode", "train")) continue;
    const CountedMemory memory(c);
    const std::int64_t measured = measured_forward(c, memory);
    const std::int64_t declared = memory.declared("statistics");
    EXPECT_TRUE(is_right(declared, measured))
        << to_string(c) << " declared " << declared << " measured " << measured;
    ++judged;
  }
  EXPECT_GT(judged, 0);
}

TEST(KernelChain, PointwiseKernelsReduceNothingForward) {
  for (const Case& c : cases()) {
    if (c.schema().has("mode")) continue;
    const CountedMemory memory(c);
    EXPECT_LE(measured_forward(c, memory), kPointwise) << to_string(c);
  }
}

TEST(KernelChain, DeclaredGradientChainIsTheKernelsOwn) {
  for (const Case& c : cases()) {
    const CountedMemory memory(c);
    const std::int64_t measured = measured_backward(c, memory);
    const std::int64_t declared = memory.declared("gradients");
    EXPECT_TRUE(is_right(declared, measured))
        << to_string(c) << " declared " << declared << " measured " << measured;
  }
}

TEST(KernelChain, DeclaredSharedChainFollowsThatOfTheColumns) {
  for (const Case& c : cases()) {
    if (!is_shared(c)) continue;
    const CountedMemory memory(c);
    measured_backward(c, memory);
    const std::int64_t measured = measured_shared(c, memory);
    // In closed form each column's sum is multiplied before they meet: a product starts anew.
    const Claim& claim = memory.claim;
    const bool anew = claim.contract.scale_in_closed_form && claim.pipeline.batch_statistics;
    const std::int64_t declared =
        (anew ? 0 : memory.declared("gradients")) + memory.declared("shared");
    EXPECT_EQ(declared, measured) << to_string(c);
  }
}

TEST(KernelChain, ControlAChainDeclaredOneShorterOrLongerIsCaught) {
  int caught = 0;
  for (const Case& c : cases()) {
    const CountedMemory memory(c);
    const std::int64_t declared = memory.declared("gradients");
    if (declared <= kPointwise + 1) continue;
    const std::int64_t measured = measured_backward(c, memory);
    EXPECT_FALSE(is_right(declared - 1, measured)) << to_string(c);
    EXPECT_FALSE(is_right(declared + 1, measured)) << to_string(c);
    ++caught;
  }
  EXPECT_GT(caught, 0);
}

}  // namespace
}  // namespace gradproof
