// SPDX-License-Identifier: Apache-2.0
// The findings of a search: the same ones twice, nothing over a right kernel's bound, the mutant
// that random small numbers pass, and the judge's own trouble.
#include "properties/search/search.h"

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "core/error.h"
#include "properties/search/draw_fill.h"
#include "tests/support/catalog.h"
#include "tools/search/judged.h"
#include "tools/search/result.h"

namespace gradproof {
namespace {

SearchTask task_of(const SearchSetup& setup) {
  const Kernel& kernel = *setup.kernel;
  return {kernel.schema, setup.pinned, [&kernel](const Case& c) { return evaluated(kernel, c); },
          [&kernel](const Case& c) { return make_inputs(c, kernel.claim(c)); }};
}

SearchSetup setup_of(const std::string& name, const std::string& dtype) {
  return setups_of(test_catalog(), {.kernels = {name}, .dtype = dtype, .cases = 1}).at(0);
}

SearchResult searched(const SearchSetup& setup, std::int64_t cases, const SearchTask& task) {
  Search search(task, random_bits(1, setup.name));
  spend(search, {.cases = cases});
  return {setup, search.drawn(), search.found(), search.cases(), search.trouble()};
}

SearchResult searched(const SearchSetup& setup, std::int64_t cases) {
  return searched(setup, cases, task_of(setup));
}

TEST(Search, FindsTheSameTwiceAndNothingOverTheBoundOfARightKernel) {
  const SearchSetup setup = setup_of("groupnorm", "f32");
  const SearchResult first = searched(setup, 45);
  const SearchResult second = searched(setup, 45);
  EXPECT_EQ(first.cases, 45);
  ASSERT_EQ(first.found.size(), second.found.size());
  for (const auto& [tensor, peak] : first.found) {
    EXPECT_EQ(peak.ratio, second.found.at(tensor).ratio) << tensor;
    EXPECT_EQ(*peak.c, *second.found.at(tensor).c) << tensor;
    EXPECT_LE(peak.ratio, 1) << tensor;
    EXPECT_GT(peak.ratio, 0) << tensor;
  }
  EXPECT_EQ(exit_code(totals_of({first})), 0);
}

TEST(Search, ConvictsAMutantAndShrinksIt) {
  const SearchSetup setup = setup_of("batchnorm_bias_divide_swish/one_pass_variance", "f32");
  const SearchResult result = searched(setup, 60);
  ASSERT_TRUE(result.trouble);
  EXPECT_TRUE(is_wrong(result.trouble->trouble.verdict.outcome));
  EXPECT_GT(worst_of(result.found)->second.ratio, 1);
  EXPECT_EQ(exit_code(totals_of({result})), 1);
  const Case simplest = shrunk(*setup.kernel, *result.trouble);
  EXPECT_LE(elements_of(simplest), elements_of(result.trouble->c));
  EXPECT_TRUE(evaluated(*setup.kernel, simplest).trouble) << to_string(simplest);
  EXPECT_TRUE(kept_lines(result).empty()) << "what is wrong is no worst Case of a right kernel";
}

/// A tensor whose error/bound is the share of x's elements that are 1: only by the contents of
/// tensors can a search come near, and it must climb to it element by element.
TEST(Search, ClimbsByTheContentsOfTensors) {
  const SearchSetup setup = setup_of("swish_bias", "f32");
  SearchTask task = task_of(setup);
  task.pinned.insert(task.pinned.end(), {"rows=2", "cols=2", "fill=normal"});
  task.evaluate = [&](const Case& c) -> SearchEvaluation {
    const Tensors inputs = task.inputs(c);
    const Tensor& x = inputs.at("x");
    double ones = 0;
    for (std::int64_t i = 0; i < x.numel(); ++i) ones += x.at(i) == 1;
    return {{{"y", ones / static_cast<double>(x.numel()), "[]", x.numel(), true}}};
  };
  const SearchResult result = searched(setup, 6000, task);
  EXPECT_EQ(result.found.at("y").ratio, 1) << "four elements, one by one";
  EXPECT_LT(result.drawn.at("y").ratio, 1) << "no draw has it";
  EXPECT_FALSE(result.found.at("y").c->text("set").empty());
}

TEST(Search, StopsAtTroubleAndSaysWhoseItIs) {
  const SearchSetup setup = setup_of("swish_bias", "f32");
  SearchTask task = task_of(setup);
  for (const Outcome outcome : {Outcome::failed, Outcome::instrument_broken}) {
    int asked = 0;
    task.evaluate = [&](const Case&) -> SearchEvaluation {
      if (++asked < 5) return {};
      return {{}, Trouble{"y", {outcome, "as it is"}}};
    };
    const SearchResult result = searched(setup, 60, task);
    EXPECT_EQ(asked, 5);
    ASSERT_TRUE(result.trouble);
    EXPECT_EQ(exit_code(totals_of({result})), outcome == Outcome::failed ? 1 : 3);
  }
}

TEST(Search, NothingJudgedIsIncomplete) {
  const SearchSetup setup = setup_of("swish_bias", "f32");
  SearchTask task = task_of(setup);
  task.evaluate = [](const Case&) { return SearchEvaluation{}; };
  EXPECT_EQ(exit_code(totals_of({searched(setup, 9, task)})), 4);
  EXPECT_EQ(exit_code(totals_of({})), 4);
}

/// A key may take away the tensor that an element was set in; without such an element a Case that
/// cannot be is an error of ours.
TEST(Search, ACaseThatCannotBeIsNoneWhereElementsAreSet) {
  const SearchSetup setup = setup_of("swish_bias", "f32");
  SearchTask task = task_of(setup);
  task.evaluate = [&](const Case& c) -> SearchEvaluation {
    if (!c.text("set").empty()) throw UsageError("no such element");
    return evaluated(*setup.kernel, c);
  };
  EXPECT_EQ(searched(setup, 30, task).cases, 30);
  task.evaluate = [](const Case&) -> SearchEvaluation { throw UsageError("no such key"); };
  EXPECT_THROW(searched(setup, 30, task), UsageError);
}

}  // namespace
}  // namespace gradproof
