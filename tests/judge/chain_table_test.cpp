// SPDX-License-Identifier: Apache-2.0
// The table of declared and measured chains, and who is convicted by it.
#include "judge/graph/chains/chain_table.h"

#include <gtest/gtest.h>

#include "core/case/case.h"
#include "kernels/counted/counted.h"
#include "tests/judge/counted_norm.h"

namespace gradproof {
namespace {

/// The kernel with one of its declared chains so much longer.
Kernel declaring(Kernel kernel, const std::string& reduction, std::int64_t longer) {
  kernel.claim = [claim_of = kernel.claim, reduction, longer](const Case& c) {
    Claim claim = claim_of(c);
    for (Reduction& r : claim.contract.reductions)
      if (r.name == reduction) r.chain += longer;
    return claim;
  };
  return kernel;
}

Kernel of_tree(const std::string& word) { return counted_catalog(catalog()).named(word); }

std::vector<std::string> short_sums(const Kernel& kernel) {
  std::vector<std::string> found;
  for (const ChainRow& row : chain_table({Catalog({kernel})}).rows)
    if (row.is_short && (found.empty() || found.back() != row.sums)) found.push_back(row.sums);
  return found;
}

TEST(ChainTable, AKernelOfThisTreeDeclaresWhatItHas) {
  for (const char* word : {"swish_bias", "groupnorm"}) {
    const ChainTable table = chain_table({Catalog({of_tree(word)})});
    EXPECT_TRUE(table.lacks.empty());
    EXPECT_GE(table.rows.size(), 3U);
    for (const ChainRow& row : table.rows)
      EXPECT_EQ(row.measured, row.declared) << word << " " << row.sizes << " " << row.sums;
  }
}

TEST(ChainTable, ControlADeclaredChainThatIsCutByOneIsConvicted) {
  using Sums = std::vector<std::string>;
  EXPECT_EQ(short_sums(declaring(of_tree("swish_bias"), "gradients", -1)),
            (Sums{"gradients", "shared"}));
  EXPECT_EQ(short_sums(declaring(of_tree("swish_bias"), "shared", -1)), (Sums{"shared"}));
  for (const char* sums : {"statistics", "gradients", "parameters"})
    EXPECT_EQ(short_sums(declaring(of_tree("groupnorm"), sums, -1)).at(0), sums);
  EXPECT_TRUE(short_sums(declaring(of_tree("groupnorm"), "gradients", 1)).empty());
}

TEST(ChainTable, AKernelOfOnesOwnHasARowForEachTensor) {
  const auto table_of = [](const std::string& contract) {
    const Kernel kernel =
        system_of(norm<float>(contract), std::nullopt, {norm<simt::Counted>(""), ""});
    return chain_table({Catalog({kernel})}, {"norm rows=5 cols=768"});
  };
  const ChainTable right = table_of("sums=lanes:32");
  ASSERT_EQ(right.rows.size(), 3U);
  for (const ChainRow& row : right.rows) EXPECT_FALSE(row.is_short) << row.sums;
  bool wrong = false;
  for (const ChainRow& row : table_of("sums=chain:1").rows) wrong = wrong || row.is_short;
  EXPECT_TRUE(wrong) << "the control";
}

TEST(ChainTable, WhatIsNotCountedIsSaid) {
  const ChainTable table = chain_table({Catalog({catalog().named("swish_bias")})});
  EXPECT_TRUE(table.rows.empty());
  EXPECT_EQ(table.lacks.size(), 1U);
  for (const char* keys : {" dtype=f64", " dtype=f16", " device=cuda"}) {
    const ChainTable other =
        chain_table({Catalog({of_tree("swish_bias")})}, {std::string("swish_bias") + keys});
    EXPECT_TRUE(other.rows.empty()) << keys;
    EXPECT_EQ(other.lacks.size(), 1U) << keys;
  }
  const ChainTable own = chain_table(
      {Catalog({system_of(norm<float>(""), std::nullopt, {std::nullopt, "it does not compile"})})});
  EXPECT_EQ(own.lacks, std::vector<std::string>{"norm: it does not compile"});
}

}  // namespace
}  // namespace gradproof
