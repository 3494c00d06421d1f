// SPDX-License-Identifier: Apache-2.0
// The parts that the calibrations are made of: their text, draws, processes, faults and tolerances.
#include "tools/calibrate/text.h"

#include <array>
#include <cmath>
#include <csignal>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/error.h"
#include "kernels/kernel.h"
#include "properties/calibration/draw.h"
#include "properties/calibration/faults.h"
#include "properties/calibration/fork.h"
#include "properties/calibration/tolerances.h"
#include "tests/support/catalog.h"

namespace gradproof {
namespace {

CalibrationReport sample() {
  return {{"something is wrong"},
          {{"who flags what",
            {"who", "count", "share"},
            {{"kernel f32", "12", "0.50%"}, {"b", "3", "-"}}}},
          {{"cases", "15"}, {"seconds", "0.1"}},
          1};
}

TEST(CalibrateText, AlignsTablesAndEndsWithTheResult) {
  const std::vector<std::string> want{"something is wrong",         "who flags what",
                                      "  who         count  share", "  kernel f32     12  0.50%",
                                      "  b               3      -", "RESULT cases=15 seconds=0.1"};
  EXPECT_EQ(lines_of(sample(), false), want);
}

TEST(CalibrateText, ReadsAPlan) {
  const CalibrationPlan plan =
      plan_of(test_catalog(), {"fair", 1000000000, 0, {"groupnorm"}, "", true});
  EXPECT_EQ(plan.cases, 1000000000);
  EXPECT_EQ(plan.seed, 0u);
  EXPECT_EQ(plan.kernels, std::vector<std::string>{"groupnorm"});
}

TEST(CalibrateText, RefusesNumbersBeyondWhatIsSensible) {
  const auto refusal = [](std::int64_t cases, std::int64_t seed) -> std::string {
    try {
      plan_of(test_catalog(), {"fair", cases, seed, {}, "", false});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(1000000001, 1), "--cases '1000000001' is no whole number from 1 to 1000000000");
  EXPECT_EQ(refusal(7, INT64_MAX),
            "--seed '9223372036854775807' is no whole number from 0 to 1000000000000000000");
  EXPECT_NE(refusal(INT64_MAX, 1), "");
  EXPECT_NE(refusal(-1, 1), "");
  EXPECT_NE(refusal(7, -1), "");
  EXPECT_EQ(refusal(7, 1), "");
}

TEST(CalibrateText, IsJsonLineByLine) {
  const std::vector<std::string> lines = lines_of(sample(), true);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(nlohmann::json::parse(lines[0])["finding"], "something is wrong");
  EXPECT_EQ(nlohmann::json::parse(lines[1])["rows"][0][1], "12");
  EXPECT_EQ(nlohmann::json::parse(lines[2])["result"]["cases"], "15");
  EXPECT_EQ(nlohmann::json::parse(progress_line("half", true))["progress"], "half");
  EXPECT_EQ(progress_line("half", false), "half");
}

TEST(CalibrateDraw, DrawsEachKindOfFillOnce) {
  const SchemaPtr schema = kernel_named("groupnorm").schema;
  const Key& key = schema->key("fill", "");
  std::set<std::string> kinds;
  for (const std::string& word : key.words) kinds.insert(word.substr(0, word.find(':')));
  ASSERT_LT(kinds.size(), key.words.size()) << "every and every: are one";
  std::set<std::string> drawn;
  for (std::uint64_t k = 0; k < kinds.size(); ++k) {
    const std::string fill = draw_fill(key, [k] { return k; });
    EXPECT_TRUE(drawn.insert(fill.substr(0, fill.find(':'))).second) << fill;
  }
  EXPECT_EQ(drawn, kinds);
}

TEST(CalibrateFork, ReportsWhatWasSaidAndWhatWasNot) {
  const ProcessResult said = in_own_process([] { return std::string(10000, 'x'); });
  EXPECT_EQ(said.end, ProcessResult::End::said);
  EXPECT_EQ(said.text, std::string(10000, 'x'));
  const ProcessResult thrown =
      in_own_process([]() -> std::string { throw InstrumentError("why"); });
  EXPECT_EQ(thrown.end, ProcessResult::End::threw);
  EXPECT_EQ(thrown.text, "why");
  EXPECT_EQ(in_own_process([]() -> std::string { throw 1; }).end, ProcessResult::End::threw);
  const auto crash = []() -> std::string {
    std::raise(SIGKILL);
    return "";
  };
  EXPECT_EQ(in_own_process(crash).end, ProcessResult::End::lost);
  const auto leave = []() -> std::string { _exit(0); };
  EXPECT_EQ(in_own_process(leave).end, ProcessResult::End::lost) << "nothing was said";
  const auto forever = []() -> std::string {
    for (volatile bool more = true; more;) {
    }
    return "";
  };
  EXPECT_EQ(in_own_process(forever, 0.1).end, ProcessResult::End::lost);
}

TEST(CalibrateFaults, AreBeyondTheBoundByAsMuchAsTheySay) {
  const RandomBits next = random_bits(1, "faults");
  for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
    const CalibrationResult result =
        kernel_subject(test_catalog(), Case(kernel_named("groupnorm").schema).with("dtype", dtype));
    for (int k = 0; k < 200; ++k) {
      const auto planted = plant_in_element(result, next);
      ASSERT_TRUE(planted);
      const auto& [name, tensor] = *planted->changed.begin();
      const Discrepancy d = compare(tensor, result.answers.at(name));
      EXPECT_GE(d.max_ratio, 2 * (1 - unit_roundoff(DType::f32))) << dtype << " " << name;
      EXPECT_EQ(d.bad, 1);
    }
  }
}

TEST(CalibrateTolerances, FollowTorchsRule) {
  const auto of = [](double value, DType dtype = DType::f32) {
    Tensor tensor(dtype, {1});
    tensor.set(0, value);
    return tensor;
  };
  using Flagged3 = std::array<bool, kTolerances>;
  EXPECT_EQ(flagged(of(1), of(1)), (Flagged3{false, false, false}));
  EXPECT_EQ(flagged(of(1.001), of(1)), (Flagged3{true, false, true}));
  EXPECT_EQ(flagged(of(1.001, DType::bf16), of(1)), (Flagged3{false, false, false}));
  EXPECT_EQ(flagged(of(1.1), of(1)), (Flagged3{true, true, true}));
  EXPECT_EQ(flagged(of(INFINITY), of(INFINITY)), (Flagged3{false, false, false}));
  EXPECT_EQ(flagged(of(INFINITY), of(1)), (Flagged3{true, true, true}));
  EXPECT_EQ(flagged(of(NAN), of(NAN)), (Flagged3{true, true, true}));
}

}  // namespace
}  // namespace gradproof
