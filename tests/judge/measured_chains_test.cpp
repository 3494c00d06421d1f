// SPDX-License-Identifier: Apache-2.0
// A kernel of somebody's own is judged under the chains that its source has on a number that
// counts.
#include "judge/graph/chains/measured_chains.h"

#include <gtest/gtest.h>

#include "tests/judge/counted_norm.h"

namespace gradproof {
namespace {

using simt::Counted;

/// A softmax that rescales its sum at each new maximum.
template <class T>
OwnKernel online_softmax() {
  OwnKernel own;
  own.word = "online";
  own.pipeline = "y = softmax(x[rows,cols])";
  own.forward = [](const Call& call) {
    const std::int64_t cols = call.extent("cols");
    for (std::int64_t i = 0; i < call.extent("rows"); ++i) {
      const T* const x = call.view("x").as<T>() + i * cols;
      T largest = x[0], sum = T(1.0F);
      for (std::int64_t j = 1; j < cols; ++j) {
        const T next = simt::math::max(largest, x[j]);
        sum = sum * simt::math::exp(largest - next) + simt::math::exp(x[j] - next);
        largest = next;
      }
      for (std::int64_t j = 0; j < cols; ++j)
        call.view("y").as<T>()[i * cols + j] = simt::math::exp(x[j] - largest) / sum;
    }
  };
  return own;
}

std::map<std::string, Record> checked_norm(const std::string& contract,
                                           const CountingKernel& counting) {
  return checked(system_of(norm<float>(contract), std::nullopt, counting),
                 "rows=5 cols=768 seed=3");
}

TEST(MeasuredChains, ASourceIsJudgedUnderTheChainsThatItHas) {
  const auto counted = checked_norm("bound=certain", {norm<Counted>(""), ""});
  const auto blind = checked_norm("bound=certain", {});
  for (const char* name : {"y", "d_x", "d_weight"}) {
    const Record& r = counted.at(name);
    EXPECT_EQ(r.verdict.outcome, Outcome::passed) << name << " " << r.verdict.reason;
    ASSERT_TRUE(r.chain) << name;
    EXPECT_EQ(r.chain->source, ChainSource::measured) << name;
    EXPECT_GE(r.chain->additions, kChain) << name;
    EXPECT_LT(r.chain->additions, 3 * kChain) << name;
    EXPECT_GT(r.discrepancy().max_ratio, 2 * blind.at(name).discrepancy().max_ratio)
        << name << ": the bound is narrower than that of any order";
    EXPECT_EQ(blind.at(name).chain->source, ChainSource::consistent) << "the control";
  }
  // The chain has the additions of the sum of squares, and that of eps.
  EXPECT_EQ(counted.at("y").chain->additions, kChain + 1);
  EXPECT_NE(counted.at("y").why.find("sums: 29 additions at most, measured"), std::string::npos)
      << counted.at("y").why;
}

TEST(MeasuredChains, ADeclarationThatIsTooShortIsFailed) {
  const CountingKernel counting{norm<Counted>(""), ""};
  const Record r = checked_norm("sums=lanes:256", counting).at("y");
  EXPECT_EQ(r.verdict.outcome, Outcome::failed);
  EXPECT_EQ(r.verdict.reason,
            "its source has chains of 28 additions, counted on the executor, and what it declares "
            "permits 12 (sums=lanes:256)");
  EXPECT_EQ(r.discrepancy().bad, 0) << "no number convicts it";
  // The controls: the lanes that it has, longer chains than it has, and a source that nobody
  // counts.
  for (const char* contract : {"sums=lanes:32", "sums=chain:100", "sums=any", ""})
    for (const auto& [name, right] : checked_norm(contract, counting))
      EXPECT_EQ(right.verdict.outcome, Outcome::passed) << contract << name << right.verdict.reason;
  EXPECT_EQ(checked_norm("sums=lanes:256", {}).at("y").verdict.outcome, Outcome::passed);
}

TEST(MeasuredChains, SumsInFloatOfNumbersOfSixteenBitsAreCounted) {
  OwnKernel plain = norm<float, __nv_bfloat16>("");
  plain.dtypes = {DType::bf16};
  const auto found =
      checked(system_of(plain, std::nullopt, {norm<Counted, simt::CountedBfloat16>(""), ""}),
              "rows=5 cols=768 seed=3");
  for (const auto& [name, r] : found) {
    EXPECT_EQ(r.verdict.outcome, Outcome::passed) << name << " " << r.verdict.reason;
    ASSERT_TRUE(r.chain) << name << r.why;
    EXPECT_EQ(r.chain->source, ChainSource::measured) << name << r.why;
  }
  EXPECT_EQ(found.at("y").chain->additions, kChain + 1);
  // The controls: a source that does not round what it stores, and a lane too few.
  const auto other =
      checked(system_of(plain, std::nullopt, {norm<Counted>(""), ""}), "rows=5 cols=768 seed=3");
  EXPECT_NE(other.at("y").why.find("computes another y"), std::string::npos) << other.at("y").why;
  plain.contract = "sums=lanes:256";
  EXPECT_EQ(checked(system_of(plain, std::nullopt, {norm<Counted, simt::CountedBfloat16>(""), ""}),
                    "rows=5 cols=768 seed=3")
                .at("y")
                .verdict.outcome,
            Outcome::failed);
}

/// The norm of counted_norm.h with a forward pass that writes a number behind the last one of y.
template <class T>
OwnKernel stray_norm(int& runs) {
  OwnKernel own = norm<T>("");
  own.forward = [forward = own.forward, &runs](const Call& call) {
    ++runs;
    forward(call);
    call.view("y").as<T>()[call.extent("rows") * call.extent("cols")] = T(1.0F);
  };
  return own;
}

// The guard band of 767 columns begins right behind their last number, in both runs.
TEST(MeasuredChains, WritesOutsideATensorAreFoundInBothRuns) {
  const std::string keys = "rows=5 cols=767 seed=3";
  int plain = 0, counting = 0;
  const auto alone =
      checked(system_of(norm<float>(""), std::nullopt, {stray_norm<Counted>(counting), ""}), keys);
  EXPECT_EQ(counting, 1);
  EXPECT_NE(alone.at("y").why.find("sums are not counted: on numbers that count the source ended "
                                   "with y: written past its end"),
            std::string::npos)
      << alone.at("y").why;
  EXPECT_EQ(alone.at("y").chain->source, ChainSource::consistent);
  // A source that strays in the plain run does not run again.
  const auto both = checked(
      system_of(stray_norm<float>(plain), std::nullopt, {stray_norm<Counted>(counting), ""}), keys);
  EXPECT_EQ(both.size(), 1U);
  EXPECT_EQ(both.begin()->second.verdict.outcome, Outcome::failed);
  EXPECT_GT(plain, 0);
  EXPECT_EQ(counting, 1);
}

TEST(MeasuredChains, WhatIsDeclaredStands) {
  const auto found = checked_norm("statistics=lanes:32 gradients=lanes:32 parameters=lanes:1",
                                  {norm<Counted>(""), ""});
  for (const char* name : {"y", "d_x", "d_weight"}) EXPECT_FALSE(found.at(name).chain) << name;
}

TEST(MeasuredChains, AProgramThatComputesOtherNumbersIsNotCounted) {
  const auto found = checked_norm("", {norm<Counted>("", 1.5F), ""});
  EXPECT_NE(found.at("y").why.find(
                "; sums are not counted: on numbers that count the source computes another y[0,0]"),
            std::string::npos)
      << found.at("y").why;
  EXPECT_EQ(found.at("y").chain->source, ChainSource::consistent);
  const auto lacking = checked_norm("", {std::nullopt, "they do not compile"});
  EXPECT_NE(lacking.at("y").why.find("; sums are not counted: they do not compile"),
            std::string::npos);
}

// A product stands between any two additions of its sum, so that no chain without one is long.
TEST(MeasuredChains, ARescaledSumHasTheChainOfAllItsAdditions) {
  const Kernel kernel =
      system_of(online_softmax<float>(), std::nullopt, {online_softmax<Counted>(), ""});
  const Record r = checked(kernel, "rows=5 cols=768 seed=3").at("y");
  EXPECT_EQ(r.verdict.outcome, Outcome::passed) << r.verdict.reason;
  EXPECT_EQ(r.chain, (SumChain{ChainSource::measured, kCols - 1, kCols - 1})) << r.why;
}

}  // namespace
}  // namespace gradproof
