// SPDX-License-Identifier: Apache-2.0
// A kernel of somebody's own is judged under the chains that its source has on a number that
// counts.
#include "judge/graph/chains/measured_chains.h"

#include <gtest/gtest.h>

#include "judge/check_case.h"
#include "kernels/own/own_kernel.h"
#include "simt/counted.h"

namespace gradproof {
namespace {

using simt::Counted;

constexpr std::int64_t kLanes = 32, kCols = 768;
/// Of 768 numbers in 32 lanes and a tree.
constexpr std::int64_t kChain = kCols / kLanes - 1 + 5;

template <class T>
struct Row {
  const T* x;
  std::int64_t cols;

  /// The sum of term(j) in 32 lanes and a tree.
  template <class Term>
  T sum(const Term& term) const {
    std::vector<T> lanes(kLanes, T(0.0F));
    for (std::int64_t j = 0; j < cols; ++j) lanes[static_cast<std::size_t>(j % kLanes)] += term(j);
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k) lanes[k] += lanes[k + half];
    return lanes[0];
  }
  T rstd() const {
    const T mean = sum([&](std::int64_t j) { return x[j] * x[j]; }) / T(static_cast<float>(cols));
    return T(1.0F) / simt::math::sqrt(mean + T(1e-6F));
  }
};

template <class T>
void norm_forward(const Call& call, float factor) {
  const std::int64_t cols = call.extent("cols");
  const T* const weight = call.view("weight").as<T>();
  for (std::int64_t i = 0; i < call.extent("rows"); ++i) {
    const Row<T> row{call.view("x").as<T>() + i * cols, cols};
    const T rstd = row.rstd() * T(factor);
    for (std::int64_t j = 0; j < cols; ++j)
      call.view("y").as<T>()[i * cols + j] = row.x[j] * rstd * weight[j];
  }
}

template <class T>
void norm_backward(const Call& call) {
  const std::int64_t cols = call.extent("cols");
  const T* const weight = call.view("weight").as<T>();
  std::vector<T> of_weight(static_cast<std::size_t>(cols), T(0.0F));
  for (std::int64_t i = 0; i < call.extent("rows"); ++i) {
    const Row<T> row{call.view("x").as<T>() + i * cols, cols};
    const T* const dy = call.view("dy").as<T>() + i * cols;
    const T rstd = row.rstd();
    const T sum = row.sum([&](std::int64_t j) { return dy[j] * weight[j] * (row.x[j] * rstd); });
    const T mean = sum / T(static_cast<float>(cols));
    for (std::int64_t j = 0; j < cols; ++j) {
      const T xhat = row.x[j] * rstd;
      call.view("d_x").as<T>()[i * cols + j] = (dy[j] * weight[j] - xhat * mean) * rstd;
      of_weight[static_cast<std::size_t>(j)] += dy[j] * xhat;
    }
  }
  for (std::int64_t j = 0; j < cols; ++j)
    call.view("d_weight").as<T>()[j] = of_weight[static_cast<std::size_t>(j)];
}

/// An RMSNorm in 32 lanes.
template <class T>
OwnKernel norm(const std::string& contract, float factor = 1) {
  OwnKernel own;
  own.word = "norm";
  own.pipeline = "y = rms_norm(x[rows,cols], weight, eps=1e-6)";
  own.contract = contract;
  own.forward = [=](const Call& call) { norm_forward<T>(call, factor); };
  own.backward = norm_backward<T>;
  return own;
}

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

std::map<std::string, Record> checked(const Kernel& kernel, const std::string& keys) {
  const Systems systems{Catalog({kernel})};
  const Case c = parse_case(kernel.schema->word + " " + keys, systems.schemas());
  std::map<std::string, Record> found;
  for (Record& r : check_case(systems, c)) found.emplace(r.tensor, std::move(r));
  return found;
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
  // The sum of squares, and eps.
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
