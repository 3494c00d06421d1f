// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/graph_case.h"
#include "core/graph/stages.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

/// A Case with what LibTorch computes for it.
struct Ran {
  explicit Ran(const std::string& line)
      : c(parse_case(line, {})),
        graph(graph_of(c)),
        storage(parse_dtype(c.text("dtype"))),
        claim{graph, extents_of(graph, c), libtorch_graph_contract(storage)},
        inputs(make_graph_inputs(graph, c)),
        got(graph_in_libtorch(graph, inputs, storage)) {}

  std::map<std::string, Judged, std::less<>> judged() const {
    return judge_graph(claim, inputs, got);
  }

  Case c;
  Graph graph;
  DType storage;
  GraphClaim claim;
  Tensors inputs;
  Tensors got;
};

/// A line for each stage that is right in LibTorch, and would be wrong if an element were off by
/// twice its bound.
std::string line_of(const GraphStage& s) {
  std::string arguments =
      s.axes == StageAxes::spatial || s.form == StageForm::slides || s.axes == StageAxes::group
          ? "x[n,c,h,w]"
          : "x[rows,cols]";
  for (std::size_t k = 1; k < s.operands.size(); ++k)
    arguments += s.operands[k].axes == OperandAxes::first ? ", t[rows,cols]"
                                                          : ", " + std::string(s.operands[k].word);
  if (s.form == StageForm::reduces) arguments += ", cols";
  for (const StageOption& o : s.options) {
    if (o.key == "groups") arguments += ", groups=2";
    if (o.key == "window") arguments += ", window=2";
    if (o.key == "cap") arguments += ", cap=3";
  }
  if (s.word == "detach") return "{y = add(detach(x), x)}";
  return "{y = " + std::string(s.word) + "(" + arguments + ")}";
}

class EachStage : public testing::TestWithParam<std::size_t> {};

TEST_P(EachStage, LibTorchIsWithinItsBoundAndAFaultIsNot) {
  const std::string line = line_of(graph_stages()[GetParam()]);
  for (const char* dtype : {"f32", "f64"}) {
    Ran ran(line + " dtype=" + dtype + " seed=3");
    for (const auto& [name, judged] : ran.judged()) {
      EXPECT_EQ(judged.discrepancy.bad, 0)
          << line << " " << name << " " << dtype << " " << judged.discrepancy.worst.got << " "
          << judged.discrepancy.worst.want << " ratio " << judged.discrepancy.max_ratio;
      EXPECT_EQ(judged.discrepancy.undecided, 0) << line << " " << name;
      Ran wrong = ran;
      Tensor& t = wrong.got.at(name);
      const std::int64_t at = t.numel() / 2;
      t.set(at, t.at(at) + 1e-2 * (1 + std::abs(t.at(at))));
      EXPECT_EQ(judge_graph(wrong.claim, wrong.inputs, wrong.got).at(name).discrepancy.bad, 1)
          << line << " " << name << " " << dtype;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Graph, EachStage, testing::Range<std::size_t>(0, graph_stages().size()),
                         [](const auto& place) {
                           return std::string(graph_stages()[place.param].word);
                         });

TEST(JudgeGraph, BlocksGiveWhatOneBlockGives) {
  // 300 rows are several blocks; the parameter's gradient sums over them.
  Ran ran("{y = rms_norm(x, weight)} rows=300 cols=64 fill=offset:3");
  for (const auto& [name, judged] : ran.judged()) {
    EXPECT_EQ(judged.discrepancy.bad, 0) << name;
    EXPECT_EQ(judged.discrepancy.elements,
              numel(ran.claim.shape_of(name == "y" ? "y" : name.substr(2))));
  }
}

TEST(JudgeGraph, AMissingMeanTermIsFound) {
  // dx of a softmax without its sum: y dy.
  Ran ran("{y = softmax(x)} rows=4 cols=16");
  for (std::int64_t i = 0; i < 64; ++i)
    ran.got.at("d_x").set(i, ran.got.at("y").at(i) * ran.inputs.at("dy").at(i));
  EXPECT_GT(ran.judged().at("d_x").discrepancy.bad, 50);
}

/// exp reaches 2^87 here, and the other operand of the minimum is what counts.
TEST(JudgeGraph, AChoiceBesideAHugeNumberIsDecided) {
  const Ran ran(
      "{v1 = exp(x[rows,cols]); v2 = minimum(v1, t1[rows,cols]); v3 = sigmoid(v2)} rows=24 cols=39 "
      "fill=scaled:100 dy=normal seed=431");
  EXPECT_EQ(ran.judged().at("v3").discrepancy.undecided, 0);
}

TEST(JudgeGraph, LabelsOutOfRangeAreRefused) {
  Ran ran("{y = nll_loss(x, labels)} rows=4 cols=16");
  ran.inputs.at("labels").set(2, 16);
  EXPECT_THROW(ran.judged(), UsageError);
}

TEST(JudgeGraph, GroupsThatDoNotDivideAreRefused) {
  EXPECT_THROW(Ran("{y = group_norm(x, groups=3)} cols=8"), UsageError);
}

}  // namespace
}  // namespace gradproof
