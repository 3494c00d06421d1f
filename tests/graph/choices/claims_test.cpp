// SPDX-License-Identifier: Apache-2.0
// The named claims: LibTorch's composition of each is right, and each planted fault is found.
#include "fixtures/claims/claims.h"

#include <gtest/gtest.h>

#include "core/graph/contract/declared_contract.h"
#include "tests/graph/judged_line.h"

namespace gradproof {
namespace {

std::string case_of(const NamedClaim& claim, const std::string& type) {
  return "{" + std::string(claim.line) + "} " + std::string(claim.extents) +
         " seed=5 dtype=" + type;
}

/// The tensors that are wrong where LibTorch computes a line in place of the claim's.
std::int64_t wrong_tensors(const Ran& ran, const std::string& line) {
  const Graph other = parse_graph(line);
  Tensors got = ran.got;
  for (auto& [name, tensor] : graph_in_libtorch(other, ran.inputs, types_of(ran.graph, ran.c)))
    if (got.contains(name)) got.at(name) = tensor;
  std::int64_t wrong = 0;
  for (const auto& [name, judged] : judge_graph(ran.claim, ran.inputs, got))
    wrong += judged.discrepancy.bad > 0;
  return wrong;
}

TEST(NamedClaim, IsRightInLibTorch) {
  for (const NamedClaim& claim : named_claims())
    for (const char* type : {"f32", "bf16", "f16"}) {
      const Ran ran(case_of(claim, type));
      for (const auto& [name, judged] : ran.judged()) {
        EXPECT_EQ(judged.discrepancy.bad, 0) << claim.word << " " << type << " " << name;
        EXPECT_LT(judged.discrepancy.vacuous * 4, judged.discrepancy.elements + 1)
            << claim.word << " " << type << " " << name;
      }
    }
}

TEST(NamedClaim, FindsEachPlantedFault) {
  for (const NamedClaim& claim : named_claims()) {
    const Ran ran(case_of(claim, "f32"));
    EXPECT_EQ(wrong_tensors(ran, std::string(claim.line)), 0) << claim.word;
    for (const PlantedFault& fault : claim.faults)
      EXPECT_GT(wrong_tensors(ran, claim.with(fault)), 0) << claim.word << ": " << fault.what;
  }
}

TEST(NamedClaim, HasAContractThatItsLineCanKeep) {
  for (const NamedClaim& claim : named_claims())
    EXPECT_NO_THROW(parse_declared_contract(std::string(claim.contract), parse_graph(claim.line)))
        << claim.word;
}

TEST(NamedClaim, IsRefusedWithTheNearestWord) {
  try {
    named_claim("flash_atention");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("flash_attention"), std::string::npos);
  }
}

}  // namespace
}  // namespace gradproof
