// SPDX-License-Identifier: Apache-2.0
// The verb `search`: what it refuses, its exit codes, its lines and the file it keeps Cases in.
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/catalog.h"
#include "tests/support/cli_support.h"
#include "tools/search/result_json.h"
#include "tools/search/text.h"

namespace gradproof {
namespace {

Finished search(const std::string& arguments, const std::string& name) {
  return shell(front() + " search " + arguments, "search-" + name);
}

TEST(SearchVerb, RefusesWhatCannotBeInOneLineWithTheChoices) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"swish_bais --cases 3", "did you mean 'swish_bias'?"},
      {"nonsense --cases 3", "known: "},
      {"swish_bias --dtype f8", "bf16"},
      {"swish_bias --cases 0", "--cases"},
      {"swish_bias --cases 2000000000", "--cases"},
      {"swish_bias --seconds 0", "--seconds"},
      {"swish_bias --seconds nan", "--seconds"},
      {"swish_bias --cases 3 --seconds 3", "--seconds"},
      {"swish_bias --seed -1", "--seed"},
      {"swish_bias/no_such_mutant --cases 3", "no_such_mutant"},
      {"batchnorm_bias_divide_swish/one_pass_variance --dtype f16 --cases 3", "compiled for"},
      {"swish_bias --cases 3 --keep /no/such/folder/file", "--keep"}};
  for (const auto& [arguments, says] : refused) {
    const Finished done = search(arguments, "refused");
    EXPECT_EQ(done.code, 2) << arguments << done.out;
    EXPECT_TRUE(has(done.err, says)) << arguments << ": " << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  }
}

TEST(SearchVerb, SaysTheSameTwiceAndKeepsTheWorstCases) {
  const std::string file = scratch_directory("search-kept") + "/worst.cases";
  const std::string arguments = "swish_bias --cases 12 --keep " + file;
  const Finished first = search(arguments, "first");
  EXPECT_EQ(first.code, 0) << first.out << first.err;
  const std::string kept = text_of(file);
  const auto without_seconds = [](const std::string& text) {
    return text.substr(0, text.rfind("seconds="));
  };
  EXPECT_EQ(without_seconds(search(arguments, "again").out), without_seconds(first.out));
  EXPECT_EQ(text_of(file), kept);
  EXPECT_NE(without_seconds(search(arguments + " --seed 2", "other").out),
            without_seconds(first.out));
  EXPECT_TRUE(has(last_line_of(first.out), "RESULT searches=5 cases=60 ")) << first.out;
  EXPECT_TRUE(has(kept, "\n# swish_bias mixed\n# error/bound: ")) << kept;
}

TEST(SearchVerb, AMutantIsExitCodeOneWithItsReplayLine) {
  const std::string name = "batchnorm_bias_divide_swish/one_pass_variance";
  const Finished text = search(name + " --cases 60", "mutant");
  EXPECT_EQ(text.code, 1) << text.out << text.err;
  EXPECT_TRUE(has(text.out, "FAILED  " + name)) << text.out;
  EXPECT_TRUE(has(text.out, "  replay: gradproof replay 'batchnorm_bias_divide_swish "))
      << text.out;
  EXPECT_TRUE(has(text.out, "shrunk: gradproof replay '")) << text.out;
  EXPECT_TRUE(has(last_line_of(text.out), " failed=1 ")) << text.out;
  const Finished json = search(name + " --cases 60 --json", "mutant-json");
  EXPECT_EQ(json.code, 1);
  EXPECT_TRUE(json.out.starts_with("{\"found\":{")) << json.out;
  EXPECT_TRUE(has(json.out, "\"shrunk\":\"batchnorm_bias_divide_swish ")) << json.out;
}

TEST(SearchVerb, AnInterruptTellsWhatWasFoundSoFar) {
  const Finished done =
      shell("timeout --preserve-status -s INT 4 " + front() +
                " search --cases 1000000 --worker " GRADPROOF_BIN_DIR "/gradproof-lab",
            "search-interrupted");
  EXPECT_EQ(done.code, 4) << done.err;
  EXPECT_TRUE(done.out.starts_with("error/bound of all tensors")) << done.out;
  EXPECT_TRUE(has(done.out, "incomplete: interrupted")) << done.out;
  EXPECT_TRUE(has(last_line_of(done.out), "RESULT incomplete=1 ")) << done.out;
}

SearchResult sample() {
  const Kernel& kernel = kernel_named("swish_bias");
  const Case c = parse_case("swish_bias rows=2 set=x@1,1:0x1p3", schemas());
  SearchResult result{{&kernel, "swish_bias", "f32", {}}, {}, {}, 30};
  result.found["y"] = {.ratio = 0.99999, .inexact = true, .c = c, .at = "[1,1]"};
  result.found["d_x"] = {.ratio = 0.5, .inexact = true, .c = c, .at = "[0,3]"};
  result.found["exact"] = {.ratio = 0, .inexact = false, .c = c, .at = "[0,0]"};
  result.drawn["y"] = {.ratio = 0.75, .inexact = true, .c = c, .at = "[0,0]"};
  return result;
}

TEST(SearchText, RowsAndTotalsCountTensorsWhoseBoundIsNotZero) {
  const SearchText text({sample().setup}, false);
  EXPECT_EQ(
      text.row(sample()),
      std::vector<std::string>{
          "swish_bias  f32        30    0.7500   0.99999    0.3750    0.7500  y[1,1]            "
          "'swish_bias rows=2 set=x@1,1:0x1p3'"});
  const SearchTotals totals = totals_of({sample()});
  EXPECT_EQ(totals.tensors, 2);
  EXPECT_EQ(totals.further, 2);
  EXPECT_EQ(totals.less_far, 0);
  EXPECT_EQ(totals.found, 0.99999);
}

TEST(SearchResult, ComesBackFromItsState) {
  const std::vector<SearchSetup> setups{sample().setup};
  const std::string state = state_of(sample());
  const SearchText text(setups, true);
  EXPECT_EQ(text.row(result_from(state, setups)), text.row(sample()));
  EXPECT_EQ(state_of(result_from(state, setups)), state);
  SearchResult troubled = sample();
  const Case c = parse_case("swish_bias rows=2", schemas());
  troubled.trouble = {c, {"y", {Outcome::instrument_broken, "why"}}};
  troubled.simplest = c;
  const SearchResult again = result_from(state_of(troubled), setups);
  EXPECT_EQ(again.trouble->trouble.verdict.outcome, Outcome::instrument_broken);
  EXPECT_EQ(text.row(again), text.row(troubled));
  EXPECT_NE(state_of(again), state);
  // The controls.
  EXPECT_THROW(result_from(state, {}), InstrumentError);
  EXPECT_THROW(result_from(state.substr(1), setups), InstrumentError);
  EXPECT_THROW(result_from("{}", setups), InstrumentError);
}

TEST(SearchText, KeptLinesSayTheirRatiosAndReadBack) {
  const std::vector<std::string> lines = kept_lines(sample());
  EXPECT_EQ(lines, (std::vector<std::string>{"# error/bound: d_x 0.5 at [0,3]; y 0.99999 at [1,1]",
                                             "swish_bias rows=2 set=x@1,1:0x1p3"}));
  using Noted = std::vector<std::pair<std::string, double>>;
  EXPECT_EQ(noted_ratios(lines[0]), (Noted{{"d_x", 0.5}, {"y", 0.99999}}));
  EXPECT_TRUE(noted_ratios("# swish_bias f32").empty());
}

}  // namespace
}  // namespace gradproof
