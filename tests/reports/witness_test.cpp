// SPDX-License-Identifier: Apache-2.0
// The verdict that witnesses make of an audit's Record, and the exit code that it has.
#include <gtest/gtest.h>

#include "reports/record/tally.h"
#include "tests/support/audit/sample.h"

namespace gradproof {
namespace {

AuditWitness said(Witness name, WitnessVerdict verdict) {
  AuditWitness witness;
  witness.name = name;
  witness.verdict = verdict;
  witness.wrong = 12;
  witness.entries = {7};
  witness.text = "off by 1/d";
  return witness;
}

Record with_witness(Witness name, WitnessVerdict verdict) {
  AuditRow row;
  row.shape = {3, 4};
  row.verdict = Outcome::certified;
  Record record = record_of(row);
  add_witness(record, said(name, verdict));
  return record;
}

TEST(AuditWitnesses, AWrongOneMakesTheRecordWrong) {
  const auto kernel = [](WitnessVerdict verdict) {
    return with_witness(Witness::kernel, verdict).verdict;
  };
  EXPECT_EQ(kernel(WitnessVerdict::wrong).outcome, Outcome::wrong);
  EXPECT_EQ(kernel(WitnessVerdict::wrong).reason,
            "kernel: 12 of 12 entries, the worst [1,3]; off by 1/d");
  EXPECT_EQ(kernel(WitnessVerdict::mistrusted).outcome, Outcome::certified);
  EXPECT_TRUE(kernel(WitnessVerdict::mistrusted).reason.starts_with("kernel: mistrusted"));
  EXPECT_EQ(kernel(WitnessVerdict::agrees).reason, "");
  EXPECT_EQ(kernel(WitnessVerdict::silent).outcome, Outcome::certified);
  EXPECT_EQ(with_witness(Witness::dual_numbers, WitnessVerdict::wrong).verdict.reason,
            "dual numbers: the worst [1,3]; off by 1/d")
      << "it counts units";
}

// Oracle and LibTorch cannot both be right: nothing is said of the kernel, whatever it did.
TEST(AuditWitnesses, ALibTorchOutOfItsBoundIsABrokenInstrument) {
  Record record = with_witness(Witness::libtorch, WitnessVerdict::wrong);
  EXPECT_EQ(record.verdict.outcome, Outcome::instrument_broken);
  add_witness(record, said(Witness::kernel, WitnessVerdict::wrong));
  EXPECT_EQ(record.verdict.outcome, Outcome::instrument_broken);
  EXPECT_EQ(record.verdict.reason,
            "LibTorch: 12 of 12 entries, the worst [1,3]; off by 1/d; "
            "kernel: 12 of 12 entries, the worst [1,3]; off by 1/d");
  EXPECT_EQ(exit_code(findings_of(tally({record}))), 3);
  const Record other = with_witness(Witness::kernel, WitnessVerdict::wrong);
  EXPECT_EQ(exit_code(findings_of(tally({other}))), 1) << "the control";
}

}  // namespace
}  // namespace gradproof
