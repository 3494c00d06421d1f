// SPDX-License-Identifier: Apache-2.0
#include "cli/trial_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gradproof {
namespace {

TrialReport sample() {
  return {{"something is wrong"},
          {{"who flags what",
            {"who", "count", "share"},
            {{"kernel f32", "12", "0.50%"}, {"b", "3", "-"}}}},
          {{"cases", "15"}, {"seconds", "0.1"}},
          1};
}

TEST(TrialText, AlignsTablesAndEndsWithTheResult) {
  const std::vector<std::string> want{"something is wrong",         "who flags what",
                                      "  who         count  share", "  kernel f32     12  0.50%",
                                      "  b               3      -", "RESULT cases=15 seconds=0.1"};
  EXPECT_EQ(lines_of(sample(), false), want);
}

TEST(TrialText, IsJsonLineByLine) {
  const std::vector<std::string> lines = lines_of(sample(), true);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(nlohmann::json::parse(lines[0])["finding"], "something is wrong");
  EXPECT_EQ(nlohmann::json::parse(lines[1])["rows"][0][1], "12");
  EXPECT_EQ(nlohmann::json::parse(lines[2])["result"]["cases"], "15");
  EXPECT_EQ(nlohmann::json::parse(progress_line("half", true))["progress"], "half");
  EXPECT_EQ(progress_line("half", false), "half");
}

}  // namespace
}  // namespace gradproof
