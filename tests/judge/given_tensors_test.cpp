// SPDX-License-Identifier: Apache-2.0
// `gradproof judge` on files, with the real worker: what is right passes, and what is not is said.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/graph/graph_case.h"
#include "oracles/libtorch/graph.h"
#include "tensor_files/safetensors.h"
#include "tests/support/cli_support.h"

namespace gradproof {
namespace {

const char* const kLine = "h = add(x, residual); y = rms_norm(h, weight); outputs y h";

/// Files of LibTorch's result for `kLine`, in a folder of their own.
class JudgeGiven : public testing::Test {
 protected:
  void SetUp() override { run("rows=6 cols=32 seed=5"); }

  void run(const std::string& keys) {
    const Case c = parse_case(std::string("{") + kLine + "} " + keys, {});
    const Graph graph = graph_of(c);
    inputs_ = make_graph_inputs(graph, c);
    outputs_ = graph_in_libtorch(graph, inputs_, types_of(graph, c));
  }

  Finished judge(const std::string& more = "") {
    write_safetensors(folder_ + "/in", inputs_);
    write_safetensors(folder_ + "/out", outputs_);
    return shell(front() + " judge --pipeline '" + kLine + "' --inputs " + folder_ +
                     "/in --outputs " + folder_ + "/out " + more,
                 "judge-given");
  }

  Tensors inputs_;
  Tensors outputs_;
  std::string folder_ = scratch_directory(
      std::string("given-") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(JudgeGiven, LibTorchsTensorsPass) {
  const Finished done = judge();
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  EXPECT_TRUE(has(last_line_of(done.out), "RESULT passed=5 failed=0 mistrusted=0 skipped=0"))
      << done.out;
}

TEST_F(JudgeGiven, OneWrongElementIsConvicted) {
  Tensor& y = outputs_.at("y");
  y.set(37, y.at(37) * 1.001);
  const Finished done = judge();
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(in_one_line(done.out), " y: 1 of 192 elements over the bound")) << done.out;
  EXPECT_TRUE(has(done.out, "worst    y[1,5]: got ")) << done.out;
  EXPECT_FALSE(has(done.out, "shrunk")) << done.out;
  EXPECT_TRUE(has(last_line_of(done.out), "passed=4 failed=1")) << done.out;
}

TEST_F(JudgeGiven, WhatIsPrintedToGoOnWithRunsAsItStands) {
  outputs_.at("d_x").set(3, 1e3);
  const Finished done = judge();
  // The audit judges the given d_x too, so it ends as the replay does.
  for (const auto& [verb, code] : {std::pair{"replay", 1}, {"explain", 0}, {"audit", 1}}) {
    const std::string command = command_in(done.out, verb);
    EXPECT_EQ(shell(command, "judge-printed").code, code) << command;
  }
}

TEST_F(JudgeGiven, ExplainSaysOfOneGivenNumberWhatItShouldBe) {
  Tensor& y = outputs_.at("y");
  const double right = y.at(37);
  y.set(37, right * 1.001);
  const Finished done = judge();
  const std::string text = replaced(command_in(done.out, "replay"), front() + " replay ", "");
  const Finished explained = shell(front() + " explain " + text, "explain-given");
  EXPECT_EQ(explained.code, 0) << explained.err;
  EXPECT_TRUE(has(explained.out, "y[1,5]\n  verdict     y Failed: 1 of 192 elements"))
      << explained.out;
  EXPECT_TRUE(has(explained.out, "%  single roundings of y   (f32)")) << explained.out;
  EXPECT_TRUE(has(explained.out, "schedule    not run: the tensors were given")) << explained.out;
  const std::size_t truth = explained.out.find("truth       ") + 12;
  EXPECT_NEAR(std::stod(explained.out.substr(truth, 20)), right, 1e-6 * std::abs(right));
  const Finished unknown = shell(front() + " explain " + text + " d_z", "explain-unknown");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(has(unknown.err, "with their shapes: y[6,32] h[6,32] d_x[6,32]")) << unknown.err;
}

TEST_F(JudgeGiven, AuditTakesTheGivenInputs) {
  outputs_.at("y").set(37, 0);  // what was given is no part of an audit
  const Finished done = judge();
  const std::string text = replaced(command_in(done.out, "replay"), front() + " replay ", "");
  const Finished audited = shell(front() + " audit " + text, "audit-given");
  EXPECT_EQ(audited.code, 0) << audited.out << audited.err;
  EXPECT_TRUE(has(last_line_of(audited.out), "rows=3 certified=3 wrong=0")) << audited.out;
  const Finished column = shell(front() + " audit " + text + " --column 'x[0,0]'", "column-given");
  EXPECT_EQ(column.code, 0) << column.err;
  EXPECT_TRUE(has(column.out, "certified  x[0,0] changes ")) << column.out;
}

TEST_F(JudgeGiven, TensorsOfNaNAreConvicted) {
  for (auto& [name, t] : outputs_)
    for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, std::numeric_limits<double>::quiet_NaN());
  const Finished done = judge();
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(last_line_of(done.out), "passed=0 failed=5")) << done.out;
}

TEST_F(JudgeGiven, FusedCodeStoresWhatItsContractSays) {
  run("rows=6 cols=32 seed=5 dtype=bf16");
  EXPECT_EQ(judge("--contract stored=all").code, 0);
  const Finished read = judge();  // y of the stored h, as LibTorch's operators compute it
  EXPECT_TRUE(has(read.out, "h y stored in bf16")) << read.out;
  EXPECT_TRUE(has(read.out, "\n  passed   y ")) << read.out;
  const Finished none = judge("--contract stored=none");
  EXPECT_EQ(none.code, 1) << none.out;
  EXPECT_TRUE(has(in_one_line(none.out), "no value between stored in bf16")) << none.out;
}

TEST_F(JudgeGiven, AGradientThatIsMissingAmongOthersLeavesAGap) {
  outputs_.erase("d_weight");
  const Finished done = judge();
  EXPECT_EQ(done.code, 4) << done.out;
  EXPECT_TRUE(has(in_one_line(done.out), "skipped d_weight - - - - - not in ")) << done.out;
}

TEST_F(JudgeGiven, ForwardAloneIsSaid) {
  std::erase_if(outputs_, [](const auto& t) { return t.first.starts_with("d_"); });
  const Finished done = judge();
  EXPECT_EQ(done.code, 0) << done.out;
  EXPECT_TRUE(has(in_one_line(done.out), "gradients: there are none in ")) << done.out;
}

TEST_F(JudgeGiven, WrongShapesAreRefused) {
  outputs_.insert_or_assign("d_x", Tensor(DType::f32, Shape{32, 6}));
  const Finished done = judge();
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "axis 'rows' is 6 in 'x' and 32 in 'd_x'")) << done.err;
  EXPECT_EQ(done.out, "");
}

/// A result of another type is judged in it, and said to be; its replay has the type.
TEST_F(JudgeGiven, AResultOfAnotherTypeIsJudgedInIt) {
  Tensor narrow(DType::f16, Shape{6, 32});
  for (std::int64_t i = 0; i < narrow.numel(); ++i) narrow.set(i, outputs_.at("d_x").at(i));
  outputs_.insert_or_assign("d_x", narrow);
  Finished done = judge();
  EXPECT_EQ(done.code, 0) << done.out;
  EXPECT_TRUE(has(done.out, "larger of the usual forms, d_x in f16")) << done.out;
  narrow.set(3, 1.01 * narrow.at(3));
  outputs_.insert_or_assign("d_x", narrow);
  done = judge();
  EXPECT_EQ(done.code, 1);
  EXPECT_TRUE(has(in_one_line(done.out), "dtypes=d_x:f16 inputs=")) << done.out;
  outputs_.insert_or_assign("d_x", Tensor(DType::f64, Shape{6, 32}));
  done = judge();
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err, "'d_x' has the dtype f64 and others f32; f64 stands alone"))
      << done.err;
}

TEST_F(JudgeGiven, ContractsOfOtherWordsAreRefused) {
  const Finished done = judge("--contract 'stored=most'");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(has(done.err,
                  "bad value 'most' for 'stored' of a contract; known: outputs none saved all "
                  "all+statistics, or of h y some"))
      << done.err;
}

TEST_F(JudgeGiven, InputsWritesWhatCheckDraws) {
  judge();
  const std::string keys = "'rows=6 cols=32 seed=5' --output " + folder_ + "/drawn";
  EXPECT_EQ(shell(front() + " inputs --pipeline '" + kLine + "' " + keys, "inputs-of-graph").code,
            0);
  const Tensors drawn = read_safetensors(folder_ + "/drawn");
  ASSERT_EQ(drawn.size(), inputs_.size());
  for (const auto& [name, tensor] : inputs_)
    EXPECT_TRUE(same_bits(get(drawn, name), tensor)) << name;
}

TEST(GraphVerbs, AreForGraphs) {
  for (const char* verb : {"inputs 'swish_bias rows=3' --output x", "python 'swish_bias rows=3'"}) {
    const Finished done = shell(front() + " " + verb, "graph-verb");
    EXPECT_EQ(done.code, 2);
    EXPECT_TRUE(has(done.err, "is for a computation as text")) << done.err;
  }
}

}  // namespace
}  // namespace gradproof
