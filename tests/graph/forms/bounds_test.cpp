// SPDX-License-Identifier: Apache-2.0
// A declared contract makes no bound larger, and some bounds smaller.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "oracles/bounds/number_type.h"
#include "tests/graph/forms/simulated.h"
#include "tests/graph/ran.h"
#include "tests/graph/stage_line.h"

namespace gradproof {
namespace {

std::vector<std::string> targets(const Graph& graph) {
  std::vector<std::string> names = graph.outputs;
  for (const GraphTensor& t : graph.tensors)
    if (has_gradient(t.part)) names.push_back("d_" + t.name);
  return names;
}

/// A comparison of the bounds with those without the contract: is one larger, is one smaller.
struct Compared {
  bool larger = false;
  bool smaller = false;

  Compared(const Simulated<float>& s, const std::string& contract) {
    for (const std::string& name : targets(s.graph())) {
      const std::vector<double> usual = s.bounds("", name);
      const std::vector<double> declared = s.bounds(contract, name);
      for (std::size_t i = 0; i < usual.size(); ++i) {
        // A bound that is larger by the bookkeeping's own roundings counts as the same.
        larger = larger || declared[i] > usual[i] * (1 + kBookkeeping);
        smaller = smaller || declared[i] * (1 + kBookkeeping) < usual[i];
      }
    }
  }
};

/// A step of the stage whose bounds the part's forms decide.
std::string line_with(const FormRow& row, std::string_view stage) {
  if (row.part != FormPart::scale_gradient) return line_of(graph_stage(stage));
  return "{v = " + std::string(stage) +
         "(x[rows,cols], s[cols]); y = batch_norm(v)} rows=24 cols=5";
}

/// Inputs are exact and sums wide unless another word is declared, which permits more.
bool is_of_hardware(const FormRow& row) {
  return row.part == FormPart::inputs || row.part == FormPart::accumulate;
}

class EachPart : public testing::TestWithParam<std::size_t> {};

TEST_P(EachPart, ADeclaredFormHasNoLargerBoundThanAllOfThem) {
  const FormRow& row = form_rows()[GetParam()];
  bool tighter = false;
  for (const std::string_view stage : row.stages)
    for (const char* fill : {"normal", "offset:1000", "scaled:30"}) {
      const Simulated<float> s(line_with(row, stage) + " seed=3 fill=" + fill);
      for (const Form& form : row.forms) {
        const std::string contract = std::string(row.word) + "=" + std::string(form.word);
        const Compared found(s, contract);
        EXPECT_FALSE(form.is_usual_of(stage) && found.larger)
            << stage << " " << contract << " " << fill;
        const bool must_be_larger = is_of_hardware(row) && &form != &row.forms.front();
        EXPECT_TRUE(!must_be_larger || found.larger) << stage << " " << contract << " " << fill;
        tighter = tighter || found.smaller;
      }
    }
  EXPECT_EQ(tighter, !is_of_hardware(row)) << row.word;
}

INSTANTIATE_TEST_SUITE_P(Forms, EachPart, testing::Range<std::size_t>(0, form_rows().size()),
                         [](const auto& place) {
                           return std::string(form_rows()[place.param].word);
                         });

TEST(ContractBounds, AnOrderOfSumsMakesNoneLarger) {
  for (const SumRow& row : sum_rows())
    for (const GraphStage& stage : graph_stages()) {
      if (!has_sums(row, stage)) continue;
      const Simulated<float> s(line_of(stage) + " seed=3");
      const std::string contract = "y." + std::string(row.word) + "=pairwise";
      EXPECT_FALSE(Compared(s, contract).larger) << stage.word << " " << contract;
    }
}

/// Float64 arithmetic rounds a float32 result once.
TEST(ContractBounds, AccumulationInFloat64) {
  const Simulated<float> s("{y = layer_norm(x)} rows=4 cols=64");
  const Compared found(s, "accumulation=f64");
  EXPECT_FALSE(found.larger);
  EXPECT_TRUE(found.smaller);
}

/// A product and a sum that are contracted to one rounding are within the bound of two.
TEST(ContractBounds, FmaChangesNone) {
  const Simulated<float> s("{y = layer_norm(x, weight, beta)} rows=4 cols=64");
  for (const std::string& name : targets(s.graph()))
    EXPECT_EQ(s.bounds("fma=no", name), s.bounds("", name)) << name;
}

/// Inf - Inf in one form of a LayerNorm's adjoint is Inf + Inf in another: where both are usual
/// either is right, and where one is declared the other is wrong.
TEST(Forms, AnInfinityLeavesOpenWhatTheyMakeOfIt) {
  Ran ran("{y = layer_norm(x, weight, beta)} rows=3 cols=4 set=dy@2,1:-inf");
  const std::int64_t where = 10;
  ASSERT_TRUE(std::isnan(ran.got.at("d_x").at(where))) << "LibTorch's form is another than ours";
  EXPECT_EQ(ran.judged().at("d_x").discrepancy.bad, 0);
  EXPECT_EQ(ran.judged().at("d_beta").discrepancy.bad, 0);
  ran.got.at("d_beta").set(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(ran.judged().at("d_beta").discrepancy.bad, 1) << "a sum has one form";
  const DeclaredContract declared = parse_declared_contract("adjoint=standardized", ran.graph);
  ran.claim.contract = graph_contract(ran.storage, declared);
  EXPECT_GT(ran.judged().at("d_x").discrepancy.bad, 0);
}

}  // namespace
}  // namespace gradproof
