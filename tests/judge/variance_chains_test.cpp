// SPDX-License-Identifier: Apache-2.0
// The chains of variances: an adjoint that reads the mean again, and Welford's lanes.
#include <gtest/gtest.h>

#include "tests/judge/counted_norm.h"

namespace gradproof {
namespace {

using simt::Counted;

/// The variance of a row, and its adjoint, whose mean is a sum in 32 lanes.
template <class T>
OwnKernel variance(const std::string& contract) {
  const auto mean = [](const Row<T, T>& row) {
    return row.sum([&](std::int64_t j) { return row.at(j); }) / T(static_cast<float>(row.cols));
  };
  OwnKernel own;
  own.word = "variance";
  own.pipeline = "y = var(x[rows,cols], cols, correction=0)";
  own.contract = contract;
  own.forward = [=](const Call& call) {
    const std::int64_t cols = call.extent("cols");
    for (std::int64_t i = 0; i < call.extent("rows"); ++i) {
      const Row<T, T> row{call.view("x").as<T>() + i * cols, cols};
      const T m = mean(row);
      call.view("y").as<T>()[i] = row.sum([&](std::int64_t j) {
        return (row.at(j) - m) * (row.at(j) - m);
      }) / T(static_cast<float>(cols));
    }
  };
  own.backward = [=](const Call& call) {
    const std::int64_t cols = call.extent("cols");
    for (std::int64_t i = 0; i < call.extent("rows"); ++i) {
      const Row<T, T> row{call.view("x").as<T>() + i * cols, cols};
      const T m = mean(row), dy = call.view("dy").as<T>()[i];
      for (std::int64_t j = 0; j < cols; ++j)
        call.view("d_x").as<T>()[i * cols + j] =
            dy * T(2.0F) * (row.at(j) - m) / T(static_cast<float>(cols));
    }
  };
  return own;
}

// The adjoint reads the mean again, whatever functions the stage takes.
TEST(MeasuredChains, AdjointsThatReadASumAgainMayHaveItsChain) {
  const auto verdicts = [](const std::string& contract) {
    return checked(system_of(variance<float>(contract), std::nullopt, {variance<Counted>(""), ""}),
                   "rows=5 cols=768 seed=3");
  };
  for (const auto& [name, r] : verdicts("sums=lanes:32"))
    EXPECT_EQ(r.verdict.outcome, Outcome::passed) << name << r.verdict.reason;
  for (const auto& [name, r] : verdicts("sums=lanes:256"))
    EXPECT_EQ(r.verdict.outcome, Outcome::failed) << name << ": the control";
}

/// The variance of a row by Welford's lanes, joined in a tree (Chan, Golub, LeVeque 1979).
template <class T>
OwnKernel welford(const std::string& contract) {
  struct Lane {
    T count, mean, squares;
  };
  OwnKernel own;
  own.word = "welford";
  own.pipeline = "y = var(x[rows,cols], cols, correction=0)";
  own.contract = contract;
  own.forward = [](const Call& call) {
    const std::int64_t cols = call.extent("cols");
    for (std::int64_t i = 0; i < call.extent("rows"); ++i) {
      const T* const x = call.view("x").as<T>() + i * cols;
      std::vector<Lane> lanes(kLanes, {T(0.0F), T(0.0F), T(0.0F)});
      for (std::int64_t j = 0; j < cols; ++j) {
        Lane& lane = lanes[static_cast<std::size_t>(j % kLanes)];
        const T delta = x[j] - lane.mean;
        lane.count += T(1.0F);
        lane.mean += delta / lane.count;
        lane.squares += delta * (x[j] - lane.mean);
      }
      for (std::size_t width = kLanes / 2; width > 0; width /= 2)
        for (std::size_t k = 0; k < width; ++k) {
          Lane &a = lanes[k], &b = lanes[k + width];
          const T delta = b.mean - a.mean;
          a.squares = a.squares + b.squares + delta * delta * (a.count / T(2.0F));
          a.mean += delta / T(2.0F);
          a.count = a.count * T(2.0F);
        }
      call.view("y").as<T>()[i] = lanes[0].squares / T(static_cast<float>(cols));
    }
  };
  return own;
}

TEST(MeasuredChains, WelfordsLanesMayAddTwiceWhereTheyAreJoined) {
  const auto verdict = [](const std::string& contract) {
    return checked(system_of(welford<float>(contract), std::nullopt, {welford<Counted>(""), ""}),
                   "rows=5 cols=768 seed=3")
        .at("y")
        .verdict;
  };
  for (const char* contract : {"sums=lanes:32", "sums=lanes:32,variance=welford"})
    EXPECT_EQ(verdict(contract).outcome, Outcome::passed) << verdict(contract).reason;
  for (const char* contract : {"sums=lanes:32,variance=two_pass", "sums=chain:12"})
    EXPECT_EQ(verdict(contract).outcome, Outcome::failed) << contract << ": the control";
}

}  // namespace
}  // namespace gradproof
