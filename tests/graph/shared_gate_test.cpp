// SPDX-License-Identifier: Apache-2.0
// A gate that several rows share: LibTorch adds up dy times the other operand before it multiplies
// with the gate's slope, so that the sum may leave a range that the gradient never comes near.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/graph/contract/declared_contract.h"
#include "tests/core/doubles.h"
#include "tests/graph/ran.h"

namespace gradproof {
namespace {

/// The gate is far on the left in the first column, where the slope is nearly 0.
std::string line_of(const std::string& stage, double size, const std::string& dtype) {
  std::string set = "gate@0:-3";
  for (const char* name : {"up", "dy"})
    for (const char* row : {"0", "1", "2", "3"})
      set += ";" + std::string(name) + "@" + row + ",0:" + std::to_string(size);
  return "{y = " + stage + "(gate[cols], up[rows,cols])} rows=4 cols=4 dtype=" + dtype +
         " set=" + set;
}

TEST(SharedGate, TheSumInFrontOfTheSlopeMayOverflow) {
  for (const char* stage : {"geglu", "swiglu"})
    for (const auto& [dtype, size] : {std::pair{"f16", 200.0}, {"f32", 1.2e19}}) {
      Ran ran(line_of(stage, size, dtype));
      EXPECT_FALSE(std::isfinite(ran.got.at("d_gate").at(0))) << stage << dtype;
      const auto judged = ran.judged();
      EXPECT_EQ(judged.at("d_gate").discrepancy.bad, 0) << stage << dtype;
      EXPECT_EQ(judged.at("d_gate").discrepancy.vacuous, 1) << "the other columns are judged";
      EXPECT_EQ(judged.at("d_up").discrepancy.bad, 0);
      ran.got.at("d_gate").set(1, kInf);
      EXPECT_EQ(ran.judged().at("d_gate").discrepancy.bad, 1);
    }
}

/// The control: where the sum fits every class is known.
TEST(SharedGate, ASumThatFitsIsJudged) {
  for (const char* stage : {"geglu", "swiglu"}) {
    Ran ran(line_of(stage, 100, "f16"));
    EXPECT_EQ(ran.judged().at("d_gate").discrepancy.bad, 0);
    EXPECT_EQ(ran.judged().at("d_gate").discrepancy.vacuous, 0);
    ran.got.at("d_gate").set(0, kInf);
    EXPECT_EQ(ran.judged().at("d_gate").discrepancy.bad, 1);
  }
}

/// The other control: code that stores nothing between its steps has the range of float32.
TEST(SharedGate, AFusedKernelMayNotOverflow) {
  Ran ran(line_of("geglu", 200, "f16"));
  ran.claim.contract = graph_contract(ran.graph, types_of(ran.graph, ran.c),
                                      parse_declared_contract("stored=outputs", ran.graph));
  EXPECT_EQ(ran.judged().at("d_gate").discrepancy.wrong_class, 1);
}

/// A gate with a number for each element is added to nothing.
TEST(SharedGate, AnOwnGateIsJudged) {
  Ran ran(
      "{y = geglu(gate[rows,cols], up[rows,cols])} rows=4 cols=4 dtype=f16 "
      "set=gate@0,0:-3;up@0,0:200;dy@0,0:200");
  EXPECT_EQ(ran.judged().at("d_gate").discrepancy.bad, 0);
  EXPECT_EQ(ran.judged().at("d_gate").discrepancy.vacuous, 0);
}

}  // namespace
}  // namespace gradproof
