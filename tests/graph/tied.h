// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <gtest/gtest.h>

#include "tests/graph/ran.h"

namespace gradproof {

/// A Case with numbers of its own, and LibTorch's results for them.
class Tied {
 public:
  explicit Tied(const std::string& line) : ran_(line) {}

  Tied& with(const std::string& tensor, std::int64_t index, double number) {
    ran_.inputs.at(tensor).set(index, number);
    ran_.got = graph_in_libtorch(ran_.graph, ran_.inputs, types_of(ran_.graph, ran_.c));
    return *this;
  }
  Tied& answers(const std::string& tensor, std::int64_t index, double number) {
    ran_.got.at(tensor).set(index, number);
    return *this;
  }
  Tensor& got(const std::string& tensor) { return ran_.got.at(tensor); }
  double input(const std::string& tensor, std::int64_t index) const {
    return ran_.inputs.at(tensor).at(index);
  }

  /// The words about what is wrong with a gradient; "" if nothing is. Expects that every element by
  /// itself is within its bound.
  std::string wrong(const std::string& gradient = "d_x") const {
    for (const auto& [name, judged] : ran_.judged()) EXPECT_EQ(judged.discrepancy.bad, 0) << name;
    const Judged judged = ran_.judged().at(gradient);
    EXPECT_EQ(judge(judged).outcome == Outcome::failed, !judged.wrong_shares.empty());
    return judged.wrong_shares;
  }

 private:
  Ran ran_;
};

}  // namespace gradproof
