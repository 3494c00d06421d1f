// SPDX-License-Identifier: Apache-2.0
// The worker's side of `gradproof audit`, on real kernels: differences and every witness.
#include "judge/audit_case.h"

#include <cmath>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "core/compare/record.h"
#include "core/error.h"
#include "judge/audit_witnesses.h"
#include "judge/check_case.h"
#include "reports/audit/audit_text.h"
#include "reports/record/tally.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

std::vector<Record> audited(const std::string& text, AuditPlan plan = {}) {
  std::vector<Record> rows;
  plan.record = [&](const Record& row) { rows.push_back(row); };
  audit_case(test_systems(), read_case(text), plan);
  return rows;
}

std::set<std::string> tensors_of(const std::vector<Record>& rows) {
  std::set<std::string> names;
  for (const Record& row : rows) names.insert(row.tensor);
  return names;
}

AuditWitness witness(const Record& row, Witness name) {
  const AuditWitness* found = witness_of(row.audit(), name);
  EXPECT_NE(found, nullptr) << row.tensor << " has no " << name_of(name);
  return found == nullptr ? AuditWitness() : *found;
}

void expect_certified(const std::string& text) {
  for (const Record& row : audited(text)) {
    EXPECT_EQ(row.verdict.outcome, Outcome::certified)
        << text << " " << row.tensor << ": " << row.verdict.reason;
    EXPECT_NE(witness(row, Witness::kernel).verdict, WitnessVerdict::wrong)
        << text << " " << row.tensor;
    EXPECT_EQ(witness(row, Witness::libtorch).verdict, WitnessVerdict::agrees)
        << text << " " << row.tensor;
    EXPECT_LE(witness(row, Witness::libtorch).ratio, 1) << text << " " << row.tensor;
  }
}

TEST(AuditCase, WhatHasNoGradientsSaysSo) {
  for (const auto& [text, reason] :
       {std::pair{"{y = relu(fixed(x))} rows=2 cols=3", "there are no gradients"},
        std::pair{"swish_bias op=forward", "op=forward asks for no gradients"}}) {
    const std::vector<Record> rows = audited(text);
    ASSERT_EQ(rows.size(), 1U) << text;
    EXPECT_EQ(rows[0].tensor, kExecution);
    EXPECT_EQ(rows[0].verdict.outcome, Outcome::inconclusive);
    EXPECT_EQ(rows[0].verdict.reason, reason);
  }
}

TEST(AuditCase, EveryWitnessAgreesAboutACorrectKernel) {
  const std::vector<Record> rows = audited(kChainCase);
  EXPECT_EQ(tensors_of(rows), (std::set<std::string>{"d_x", "d_weight", "d_beta", "d_bias"}));
  for (const Record& row : rows) {
    EXPECT_EQ(row.verdict.outcome, Outcome::certified) << row.tensor << ": " << row.verdict.reason;
    EXPECT_GE(row.audit().digits, 20);
    for (const Witness name :
         {Witness::kernel, Witness::libtorch, Witness::dual_numbers, Witness::second_order})
      EXPECT_EQ(witness(row, name).verdict, WitnessVerdict::agrees)
          << row.tensor << " " << name_of(name) << ": " << witness(row, name).text;
    EXPECT_GT(witness(row, Witness::kernel).ratio, 0);
    EXPECT_LE(witness(row, Witness::kernel).ratio, 1);
    // float32 keeps 24 bits, float64 53: neither can agree further than its numbers go, and both
    // agree further than a number of half as many bits would.
    EXPECT_LT(witness(row, Witness::kernel).digits, 24 * std::log10(2) + 1);
    EXPECT_GT(witness(row, Witness::kernel).digits, 12 * std::log10(2));
    EXPECT_GT(witness(row, Witness::libtorch).digits, 24 * std::log10(2) + 1);
  }
}

TEST(AuditCase, OfNoRowsGradientsAreZero) {
  const std::vector<Record> rows = audited("batchnorm_bias_divide_swish rows=0 cols=3 op=backward");
  ASSERT_EQ(rows.size(), 4U);
  for (const Record& row : rows) {
    EXPECT_EQ(row.verdict.outcome, row.tensor == "d_x" ? Outcome::inconclusive : Outcome::certified)
        << row.tensor << ": " << row.verdict.reason;
    EXPECT_EQ(witness(row, Witness::second_order).text.empty(), false) << row.tensor;
  }
}

TEST(AuditCase, AMutantIsWrongWithItsEntriesAndTheDifferencesAreNot) {
  const std::vector<Record> rows = audited(kChainCase + " mutant=missing_divide");
  std::int64_t wrong = 0;
  for (const Record& row : rows) {
    EXPECT_EQ(row.audit().wrong, 0) << "the adjoint is right";
    EXPECT_GE(row.audit().digits, 20);
    const AuditWitness kernel = witness(row, Witness::kernel);
    if (kernel.verdict != WitnessVerdict::wrong) continue;
    ++wrong;
    EXPECT_EQ(row.verdict.outcome, Outcome::wrong);
    EXPECT_GT(kernel.wrong, 0);
    EXPECT_GT(kernel.ratio, 1);
    ASSERT_FALSE(kernel.entries.empty());
    EXPECT_FALSE(kernel.text.empty()) << row.tensor;
    EXPECT_NE(row.verdict.reason.find("kernel: " + std::to_string(kernel.wrong) + " of "),
              std::string::npos)
        << row.verdict.reason;
  }
  EXPECT_GT(wrong, 0);
}

TEST(AuditCase, AFindingOfTheExecutorMakesEveryRowWrong) {
  for (const Record& row :
       audited("batchnorm_bias_divide_swish rows=70 cols=5 mutant=missing_barrier")) {
    EXPECT_EQ(row.verdict.outcome, Outcome::wrong) << row.tensor;
    EXPECT_FALSE(witness(row, Witness::kernel).text.empty());
    EXPECT_EQ(row.audit().wrong, 0);
  }
}

TEST(AuditCase, AWrongSavedStatisticIsTheKernelsFaultToo) {
  for (const Record& row : audited(kChainCase + " fill=offset:1000 mutant=one_pass_variance"))
    EXPECT_NE(witness(row, Witness::kernel).text.find("forward saved a wrong rstd"),
              std::string::npos)
        << row.tensor << ": " << witness(row, Witness::kernel).text;
}

TEST(AuditCase, WithoutItsKernelOnlyTheKernelIsSilent) {
  AuditPlan plan;
  plan.kernel = false;
  for (const Record& row : audited(kChainCase + " mutant=missing_divide", plan)) {
    EXPECT_EQ(row.verdict.outcome, Outcome::certified) << row.verdict.reason;
    EXPECT_EQ(witness_of(row.audit(), Witness::kernel), nullptr);
    EXPECT_EQ(witness(row, Witness::libtorch).verdict, WitnessVerdict::agrees);
  }
}

TEST(AuditCase, EverySystemIsCertified) {
  for (const SchemaPtr& schema : test_systems().schemas())
    if (!schema->word.starts_with("linear_"))
      expect_certified(schema->word +
                       " rows=6 cols=" + (schema->has("groups") ? "6 groups=2" : "5"));
}

TEST(AuditCase, EvaluationOneRowAndOneShape) {
  expect_certified(kChainCase + " mode=eval");
  expect_certified("batchnorm_bias_divide_swish rows=1 cols=5 mode=eval");
  expect_certified(kChainCase + " bias=one");
  expect_certified(kChainCase + " dtype=bf16 params=f32");
  expect_certified("groupnorm rows=1 cols=6 groups=2");
}

TEST(AuditCase, OfAModelPairTheKernelIsAuditedUnderTheModelsNames) {
  const std::vector<Record> rows = audited("linear_batchnorm_bias_divide_swish rows=9 in=4 cols=5");
  EXPECT_EQ(tensors_of(rows), (std::set<std::string>{"d_z", "d_bn.weight", "d_bn.bias", "d_bias"}));
  for (const Record& row : rows) {
    EXPECT_EQ(row.verdict.outcome, Outcome::certified) << row.tensor << ": " << row.verdict.reason;
    EXPECT_EQ(witness(row, Witness::kernel).verdict, WitnessVerdict::agrees) << row.tensor;
  }
}

// If something cannot be known, the row gives the reason and is never left out.
TEST(AuditCase, WhatHasNoAnswerHasAReason) {
  const std::vector<Record> forward = audited(kChainCase + " op=forward");
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(forward[0].tensor, kExecution);
  EXPECT_EQ(forward[0].verdict.outcome, Outcome::inconclusive);
  EXPECT_NE(forward[0].verdict.reason.find("op=forward"), std::string::npos);

  const std::vector<Record> none = audited("batchnorm_bias_divide_swish rows=0 cols=5");
  EXPECT_EQ(none.size(), 4u);
  for (const Record& row : none)
    EXPECT_TRUE(row.verdict.outcome == Outcome::certified || !row.verdict.reason.empty())
        << row.tensor;

  const std::vector<Record> flat = audited(kChainCase + " fill=constant:2");
  EXPECT_EQ(flat.size(), 4u);
  for (const Record& row : flat)
    EXPECT_TRUE(row.verdict.outcome == Outcome::certified || !row.verdict.reason.empty())
        << row.tensor;

  EXPECT_EQ(tensors_of(audited(kChainCase + " grads=input")), (std::set<std::string>{"d_x"}));
  EXPECT_THROW(audited(kChainCase + " law=dx_sum"), UsageError);
}

TEST(AuditCase, AnOverflowIsMistrustedAndSaid) {
  for (const Record& row :
       audited("batchnorm_bias_divide_swish rows=9 cols=5 dtype=f16 dy=scaled:60000")) {
    const AuditWitness kernel = witness(row, Witness::kernel);
    EXPECT_NE(kernel.verdict, WitnessVerdict::wrong) << row.tensor << ": " << kernel.text;
    if (kernel.verdict == WitnessVerdict::agrees) continue;
    EXPECT_EQ(kernel.verdict, WitnessVerdict::mistrusted);
    EXPECT_FALSE(kernel.text.empty());
    EXPECT_NE(row.verdict.reason.find("kernel: mistrusted"), std::string::npos)
        << row.verdict.reason;
  }
}

// The control of LibTorch's place: what it says of a gradient is planted, and the oracle that it is
// held against is in doubt, not the kernel.
TEST(AuditCase, ALibTorchThatContradictsTheOracleBreaksTheInstrument) {
  CrossCheck planted{"LibTorch float64"};
  planted.agreements["d_x"] = {3, 1e6, 15};
  planted.texts["d_x"] = "LibTorch float64 says 1 at [0,0] where the oracle says 2";
  planted.agreements["d_bias"] = {15, 0.5, 0};
  const LibTorchWitness libtorch(planted);
  std::vector<Record> records = audited(kChainCase);
  for (Record& row : records)
    if (row.tensor == "d_x" || row.tensor == "d_bias") add_witness(row, libtorch.on(row.tensor));
  for (const Record& row : records)
    EXPECT_EQ(row.verdict.outcome,
              row.tensor == "d_x" ? Outcome::instrument_broken : Outcome::certified)
        << row.tensor << ": " << row.verdict.reason;
  EXPECT_EQ(exit_code(findings_of(tally(records))), 3);
}

TEST(AuditCase, ProgressIsSaidInOrder) {
  std::vector<AuditPhase> phases;
  AuditPlan plan;
  plan.progress = [&](AuditPhase phase) { phases.push_back(phase); };
  audited(kChainCase, plan);
  EXPECT_EQ(phases, (std::vector<AuditPhase>{AuditPhase::kernel, AuditPhase::differences,
                                             AuditPhase::witnesses}));
}

}  // namespace
}  // namespace gradproof
