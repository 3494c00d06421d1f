// SPDX-License-Identifier: Apache-2.0
// The worker's side of `gradproof audit`, on real kernels: differences and every witness.
#include "judge/audit_case.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/compare/record.h"
#include "core/error.h"
#include "judge/check_case.h"
#include "reports/text/audit_text.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

const std::string kChain = "batchnorm_bias_divide_swish rows=9 cols=5 seed=3";

std::vector<AuditRow> audited(const std::string& text, AuditPlan plan = {}) {
  std::vector<AuditRow> rows;
  plan.row = [&](const AuditRow& row) { rows.push_back(row); };
  audit_case(test_systems(), read_case(text), plan);
  return rows;
}

std::set<std::string> tensors_of(const std::vector<AuditRow>& rows) {
  std::set<std::string> names;
  for (const AuditRow& row : rows) names.insert(row.tensor);
  return names;
}

AuditWitness witness(const AuditRow& row, const std::string& name) {
  const AuditWitness* found = witness_of(row, name);
  EXPECT_NE(found, nullptr) << row.tensor << " has no " << name;
  return found == nullptr ? AuditWitness() : *found;
}

void expect_certified(const std::string& text) {
  for (const AuditRow& row : audited(text)) {
    EXPECT_EQ(row.verdict, "certified") << text << " " << row.tensor << ": " << row.reason;
    EXPECT_NE(witness(row, "kernel").verdict, "wrong") << text << " " << row.tensor;
    EXPECT_EQ(witness(row, "LibTorch").verdict, "agrees") << text << " " << row.tensor;
    EXPECT_LE(witness(row, "LibTorch").ratio, 1) << text << " " << row.tensor;
  }
}

TEST(AuditCase, EveryWitnessAgreesAboutACorrectKernel) {
  const std::vector<AuditRow> rows = audited(kChain);
  EXPECT_EQ(tensors_of(rows), (std::set<std::string>{"d_x", "d_weight", "d_beta", "d_bias"}));
  for (const AuditRow& row : rows) {
    EXPECT_EQ(row.verdict, "certified") << row.tensor << ": " << row.reason;
    EXPECT_GE(row.digits, 20);
    for (const char* name : {"kernel", "LibTorch", "dual numbers", "second order"})
      EXPECT_EQ(witness(row, name).verdict, "agrees")
          << row.tensor << " " << name << ": " << witness(row, name).text;
    EXPECT_GT(witness(row, "kernel").ratio, 0);
    EXPECT_LE(witness(row, "kernel").ratio, 1);
    // float32 keeps 24 bits, float64 53: neither can agree further than its numbers go, and both
    // agree further than a number of half as many bits would.
    EXPECT_LT(witness(row, "kernel").digits, 24 * std::log10(2) + 1);
    EXPECT_GT(witness(row, "kernel").digits, 12 * std::log10(2));
    EXPECT_GT(witness(row, "LibTorch").digits, 24 * std::log10(2) + 1);
  }
}

TEST(AuditCase, AMutantIsWrongWithItsEntriesAndTheDifferencesAreNot) {
  const std::vector<AuditRow> rows = audited(kChain + " mutant=missing_divide");
  std::int64_t wrong = 0;
  for (const AuditRow& row : rows) {
    EXPECT_EQ(row.wrong, 0) << "the adjoint is right";
    EXPECT_GE(row.digits, 20);
    const AuditWitness kernel = witness(row, "kernel");
    if (kernel.verdict != "wrong") continue;
    ++wrong;
    EXPECT_EQ(row.verdict, "wrong");
    EXPECT_GT(kernel.wrong, 0);
    EXPECT_GT(kernel.ratio, 1);
    ASSERT_FALSE(kernel.entries.empty());
    EXPECT_FALSE(kernel.text.empty()) << row.tensor;
    EXPECT_NE(row.reason.find("kernel: " + std::to_string(kernel.wrong) + " of "),
              std::string::npos)
        << row.reason;
  }
  EXPECT_GT(wrong, 0);
}

TEST(AuditCase, AFindingOfTheExecutorMakesEveryRowWrong) {
  for (const AuditRow& row :
       audited("batchnorm_bias_divide_swish rows=70 cols=5 mutant=missing_barrier")) {
    EXPECT_EQ(row.verdict, "wrong") << row.tensor;
    EXPECT_FALSE(witness(row, "kernel").text.empty());
    EXPECT_EQ(row.wrong, 0);
  }
}

TEST(AuditCase, AWrongSavedStatisticIsTheKernelsFaultToo) {
  for (const AuditRow& row : audited(kChain + " fill=offset:1000 mutant=one_pass_variance"))
    EXPECT_NE(witness(row, "kernel").text.find("forward saved a wrong rstd"), std::string::npos)
        << row.tensor << ": " << witness(row, "kernel").text;
}

TEST(AuditCase, WithoutItsKernelOnlyTheKernelIsSilent) {
  AuditPlan plan;
  plan.kernel = false;
  for (const AuditRow& row : audited(kChain + " mutant=missing_divide", plan)) {
    EXPECT_EQ(row.verdict, "certified") << row.reason;
    EXPECT_EQ(witness_of(row, "kernel"), nullptr);
    EXPECT_EQ(witness(row, "LibTorch").verdict, "agrees");
  }
}

TEST(AuditCase, EverySystemIsCertified) {
  for (const SchemaPtr& schema : test_systems().schemas())
    if (!schema->word.starts_with("linear_"))
      expect_certified(schema->word +
                       " rows=6 cols=" + (schema->has("groups") ? "6 groups=2" : "5"));
}

TEST(AuditCase, EvaluationOneRowAndOneShape) {
  expect_certified(kChain + " mode=eval");
  expect_certified("batchnorm_bias_divide_swish rows=1 cols=5 mode=eval");
  expect_certified(kChain + " bias=one");
  expect_certified(kChain + " dtype=bf16 params=f32");
  expect_certified("groupnorm rows=1 cols=6 groups=2");
}

TEST(AuditCase, OfAModelPairTheKernelIsAuditedUnderTheModelsNames) {
  const std::vector<AuditRow> rows =
      audited("linear_batchnorm_bias_divide_swish rows=9 in=4 cols=5");
  EXPECT_EQ(tensors_of(rows), (std::set<std::string>{"d_z", "d_bn.weight", "d_bn.bias", "d_bias"}));
  for (const AuditRow& row : rows) {
    EXPECT_EQ(row.verdict, "certified") << row.tensor << ": " << row.reason;
    EXPECT_EQ(witness(row, "kernel").verdict, "agrees") << row.tensor;
  }
}

// Where something cannot be known, it is said and never left out.
TEST(AuditCase, WhatHasNoAnswerHasAReason) {
  const std::vector<AuditRow> forward = audited(kChain + " op=forward");
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].tensor, kExecution);
  EXPECT_EQ(forward[0].verdict, "inconclusive");
  EXPECT_NE(forward[0].reason.find("op=forward"), std::string::npos);

  const std::vector<AuditRow> none = audited("batchnorm_bias_divide_swish rows=0 cols=5");
  EXPECT_EQ(none.size(), 4u);
  for (const AuditRow& row : none)
    EXPECT_TRUE(row.verdict == "certified" || !row.reason.empty()) << row.tensor;

  const std::vector<AuditRow> flat = audited(kChain + " fill=constant:2");
  EXPECT_EQ(flat.size(), 4u);
  for (const AuditRow& row : flat)
    EXPECT_TRUE(row.verdict == "certified" || !row.reason.empty()) << row.tensor;

  EXPECT_EQ(tensors_of(audited(kChain + " grads=input")), (std::set<std::string>{"d_x"}));
  EXPECT_THROW(audited(kChain + " law=dx_sum"), UsageError);
}

TEST(AuditCase, AnOverflowIsMistrustedAndSaid) {
  for (const AuditRow& row :
       audited("batchnorm_bias_divide_swish rows=9 cols=5 dtype=f16 dy=scaled:60000")) {
    const AuditWitness kernel = witness(row, "kernel");
    EXPECT_NE(kernel.verdict, "wrong") << row.tensor << ": " << kernel.text;
    if (kernel.verdict == "agrees") continue;
    EXPECT_EQ(kernel.verdict, "mistrusted");
    EXPECT_FALSE(kernel.text.empty());
    EXPECT_NE(row.reason.find("kernel: mistrusted"), std::string::npos) << row.reason;
  }
}

TEST(AuditCase, ProgressIsSaidInOrder) {
  std::vector<AuditPhase> phases;
  AuditPlan plan;
  plan.progress = [&](AuditPhase phase) { phases.push_back(phase); };
  audited(kChain, plan);
  EXPECT_EQ(phases, (std::vector<AuditPhase>{AuditPhase::kernel, AuditPhase::differences,
                                             AuditPhase::witnesses}));
}

}  // namespace
}  // namespace gradproof
