// SPDX-License-Identifier: Apache-2.0
// A product that takes long, judged by parts: what is right passes, and one wrong element is found
// where LibTorch can be asked.
#include <gtest/gtest.h>

#include "core/graph/graph_case.h"
#include "judge/graph/check_graph.h"
#include "judge/graph/samples/sampled_part.h"
#include "judge/records.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

/// The least sizes of which parts are judged.
const std::string kLong = "{y = contract(a[m,k], b[k,n], k)} m=900 k=900 n=900";

class SampledCheck : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Case c = parse_case(kLong, {});
    run_ = new GraphRun(inputs_of_graph(c));
    run_->got = graph_in_libtorch(run_->claim.graph, run_->inputs, types_of(run_->claim.graph, c));
    run_->who = "somebody";
  }
  static void TearDownTestSuite() { delete run_; }

  static std::vector<Record> records_of(const GraphRun& run) {
    const Case c = parse_case(kLong, {});
    return graph_records(c, run, blank_record(c), Detail::of_verdicts, SecondWitness::of_failures);
  }

  static GraphRun* run_;
};

GraphRun* SampledCheck::run_ = nullptr;

TEST_F(SampledCheck, WhatIsRightPassesAndEachRecordNamesItsPart) {
  const auto records = records_of(*run_);
  ASSERT_EQ(records.size(), 3U);
  for (const Record& record : records) {
    EXPECT_EQ(record.verdict.outcome, Outcome::passed) << record.tensor;
    ASSERT_TRUE(record.sample) << record.tensor;
    EXPECT_EQ(record.shape, (Shape{900, 900}));
    EXPECT_LT(record.discrepancy().elements, 900 * 900 / 10);
    EXPECT_LT(record.discrepancy().resolution.whole, 1e-4);
  }
  EXPECT_EQ(*records[0].sample, "113 of 900 along m, 225 of 900 along n");
}

TEST_F(SampledCheck, OneWrongElementIsFoundWhereverItIs) {
  constexpr std::int64_t kWrong = 611 * 900 + 377;
  GraphRun wrong = *run_;
  Tensor& d_b = wrong.got.at("d_b");
  d_b.set(kWrong, d_b.at(kWrong) * 1.05);
  const auto records = records_of(wrong);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].verdict.outcome, Outcome::passed);
  EXPECT_EQ(records[2].verdict.outcome, Outcome::failed);
  EXPECT_EQ(records[2].discrepancy().bad, 1);
  EXPECT_EQ(records[2].discrepancy().worst.index, kWrong);
  EXPECT_EQ(records[2].discrepancy().first_bad.front().index, kWrong);
  EXPECT_NE(records[2].digest, records_of(*run_)[2].digest) << "it is of all elements";
}

TEST_F(SampledCheck, WithoutAGuideTheSameElementIsNotInThePart) {
  const auto plans = sample_plans_of(parse_case(kLong, {}), run_->claim.graph, run_->claim.extents);
  GraphRun wrong = *run_;
  wrong.got.at("y").set(611 * 900 + 377, 1e9);
  const RunPart blind = sampled_part(wrong, plans.front(), {});
  const RunPart guided = sampled_part(wrong, plans.front(), guide_of(wrong));
  const auto has_it = [](const RunPart& part) {
    const Tensor& y = get(part.run().got, "y");
    for (std::int64_t i = 0; i < y.numel(); ++i)
      if (y.at(i) == 1e9) return true;
    return false;
  };
  EXPECT_FALSE(has_it(blind));
  EXPECT_TRUE(has_it(guided));
}

}  // namespace
}  // namespace gradproof
