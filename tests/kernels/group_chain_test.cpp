// SPDX-License-Identifier: Apache-2.0
// The chains of additions that the contract of a GroupNorm's kernel declares against those that it
// really has: its own source runs on a number that counts, launch by launch.
#include "simt/counted.h"
#define GRADPROOF_UNIT counting
#define GRADPROOF_TYPES simt::Counted, simt::Counted, simt::Counted
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/groupnorm.cu"
#include "kernels/groupnorm_swish_multiply_swish.cu"
#include "kernels/swish_bias_groupnorm.cu"
#include "tests/kernels/counted_memory.h"

namespace gradproof {
namespace {

/// What one element goes through outside all sums: weight xhat + beta, (h - mean) - xhat mean.
constexpr std::int64_t kPointwise = 2;

template <class Launch>
std::int64_t longest_of(const Launch& launch) {
  launch();
  return simt::max_addition_chain();
}

/// Runs `work` with the system that the Case names.
template <class Work>
std::int64_t with_system(const Case& c, const Work& work) {
  if (c.word() == "groupnorm") return work(GroupNormAlone<Counted>{});
  if (c.word() == "swish_bias_groupnorm") return work(SwishBiasGroupNorm<Counted>{});
  return work(GroupNormSwishMultiplySwish<Counted>{});
}

/// The longest chain of the launch that sums a unit; one less where a bias has been added to each
/// number before.
std::int64_t counted_statistics(const Case& c, const CountedMemory& memory) {
  const std::int64_t longest = with_system(c, [&]<class System>(System) {
    const auto a = group_forward_arguments<System, Counted, Counted, Counted>(memory.call);
    if (forward_tiling(a).resident()) return longest_of([&] { launch_forward<System, true>(a); });
    return longest_of([&] { launch_wide_statistics<System>(a); });
  });
  return longest - (c.word() == "swish_bias_groupnorm" ? 1 : 0);
}

/// Of one row, where no sum over rows is longer.
std::int64_t counted_gradients(const Case& c, const CountedMemory& memory) {
  return with_system(c, [&]<class System>(System) {
    const auto a = group_backward_arguments<System, Counted, Counted, Counted>(memory.call);
    if (backward_tiling(a).resident()) return longest_of([&] { launch_backward<System, true>(a); });
    return longest_of([&] { launch_wide_sums<System>(a); });
  });
}

/// The deepest number of a parameter's gradient: numbers keep their depth in memory from one launch
/// to the next.
std::int64_t counted_parameter(const Case& c, const CountedMemory& memory,
                               const std::string& gradient) {
  return with_system(c, [&]<class System>(System) {
    run_backward<System>(group_backward_arguments<System, Counted, Counted, Counted>(memory.call));
    std::int64_t deepest = 0;
    for (const Counted& number : memory.numbers.at(gradient))
      deepest = std::max<std::int64_t>(deepest, number.depth);
    return deepest;
  });
}

Case case_of(const std::string& word, std::int64_t rows, std::int64_t cols, std::int64_t groups,
             const std::string& rest) {
  return parse_case(word + " dy=normal rows=" + std::to_string(rows) + " cols=" +
                        std::to_string(cols) + " groups=" + std::to_string(groups) + rest,
                    schemas());
}

const std::vector<std::string> kWords{"groupnorm", "swish_bias_groupnorm",
                                      "groupnorm_swish_multiply_swish"};

/// One row of one group of every kind of width.
std::vector<Case> units() {
  std::vector<Case> all;
  for (const std::string& word : kWords)
    for (const int width : {1,  2,  3,  4,   5,   7,   8,    9,    12,   16,   17,   32,   33,  64,
                            65, 96, 99, 128, 255, 512, 1000, 1024, 1025, 1500, 2048, 2049, 5000})
      all.push_back(case_of(word, 1, 3 * width, 3, ""));
  return all;
}

/// A group of one channel, in every kind of number of rows.
std::vector<Case> columns_of_rows() {
  std::vector<Case> all;
  for (const std::string& word : kWords)
    for (const int rows : {1,   2,   3,   4,   5,    8,    9,    33,   100,  127,  128,
                           129, 320, 639, 640, 1000, 2047, 2048, 2049, 4096, 9000, 20000})
      all.push_back(case_of(word, rows, 2, 2, ""));
  return all;
}

TEST(KernelGroupChain, DeclaredStatisticsChainIsTheKernelsOwn) {
  for (const Case& c : units()) {
    const CountedMemory memory(c);
    EXPECT_EQ(std::max(memory.declared("statistics"), kPointwise),
              std::max(counted_statistics(c, memory), kPointwise))
        << to_string(c);
  }
}

TEST(KernelGroupChain, DeclaredGradientChainIsTheKernelsOwn) {
  for (const Case& c : units()) {
    const CountedMemory memory(c);
    EXPECT_EQ(std::max(memory.declared("gradients"), kPointwise), counted_gradients(c, memory))
        << to_string(c);
  }
}

TEST(KernelGroupChain, DeclaredParameterChainIsTheKernelsOwn) {
  for (const Case& c : columns_of_rows()) {
    const CountedMemory memory(c);
    for (const char* gradient : {"d_weight", "d_beta", "d_bias", "d_multiply"}) {
      if (!memory.claim.has(gradient)) continue;
      EXPECT_EQ(memory.declared("parameters"), counted_parameter(c, memory, gradient))
          << to_string(c) << " " << gradient;
    }
  }
}

TEST(KernelGroupChain, DeclaredSharedChainFollowsThatOfTheRows) {
  for (const int cols : {2, 3, 255, 256, 257, 700, 2100})
    for (const int rows : {1, 9, 300}) {
      const Case c = case_of("swish_bias_groupnorm", rows, cols, 1, " bias=one");
      const CountedMemory memory(c);
      EXPECT_EQ(memory.declared("parameters") + memory.declared("shared"),
                counted_parameter(c, memory, "d_bias"))
          << to_string(c);
    }
}

TEST(KernelGroupChain, ControlAChainDeclaredOneShorterOrLongerIsCaught) {
  int caught = 0;
  for (const Case& c : units()) {
    const CountedMemory memory(c);
    const std::int64_t declared = memory.declared("gradients");
    if (declared <= kPointwise) continue;
    const std::int64_t counted = counted_gradients(c, memory);
    EXPECT_NE(declared - 1, counted) << to_string(c);
    EXPECT_NE(declared + 1, counted) << to_string(c);
    ++caught;
  }
  EXPECT_GT(caught, 0);
}

}  // namespace
}  // namespace gradproof
