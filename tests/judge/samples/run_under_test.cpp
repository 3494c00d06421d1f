// SPDX-License-Identifier: Apache-2.0
// An element that is judged with what it is made of alone is over its bound where it is in the
// whole.
#include "judge/graph/ladder/run_under.h"

#include <gtest/gtest.h>

#include "core/graph/graph_case.h"
#include "judge/graph/ladder/rung_contracts.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

struct Wrong {
  const char* line;
  const char* tensor;
  bool is_apart;  ///< some axis of it can be cut
};

/// Code that declares nothing: LibTorch's float32 of the line, with element `index` of a tensor off
/// by that share of it.
GraphRun run_with(const Case& c, const Wrong& wrong, std::int64_t index, double off) {
  const Graph graph = graph_of(c);
  const Tensors inputs = make_graph_inputs(graph, parse_case(wrong.line, {}));
  GraphRun run{
      {graph, extents_of(graph, c), graph_contract(graph, types_of(graph, c), *declared_of(c))},
      inputs,
      graph_in_libtorch(graph, inputs, types_of(graph, c)),
      "LibTorch"};
  Tensor& changed = run.got.at(wrong.tensor);
  changed.set(index, changed.at(index) * (1 + off));
  return run;
}

class FailsAt : public testing::TestWithParam<Wrong> {};

TEST_P(FailsAt, AgreesWithTheWhole) {
  const Case c = parse_case(std::string(GetParam().line) + " inputs=none outputs=none", {});
  constexpr std::int64_t kIndex = 21, kElsewhere = 54;  // in other rows and columns
  for (const double off : {1e-2, 3e-7, 0.0}) {
    const GraphRun run = run_with(c, GetParam(), kIndex, off);
    for (const ErrorBound bound : {ErrorBound::certain, ErrorBound::likely}) {
      const RunUnder under(c, run, bound);
      for (const RungContract& rung : ladder_of(under.claim(), *under.declared())) {
        const bool is_over = under.discrepancy(GetParam().tensor, rung.contract).bad > 0;
        const bool fails = under.fails_at(GetParam().tensor, kIndex, rung.contract);
        if (bound == ErrorBound::certain && GetParam().is_apart) {
          EXPECT_EQ(fails, is_over) << off << ' ' << name_of(rung.rung);
        }
        EXPECT_LE(fails, is_over) << "a part's likely error is no smaller";
        EXPECT_FALSE(under.fails_at(GetParam().tensor, kElsewhere, rung.contract));
      }
    }
    const RunUnder certain(c, run, ErrorBound::certain);
    const bool is_over = certain.discrepancy(GetParam().tensor, *declared_of(c)).bad > 0;
    EXPECT_TRUE(off == 1e-2 ? is_over : is_over <= (off > 0)) << "the control: " << off;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Lines, FailsAt,
    testing::Values(
        Wrong{"{y = layer_norm(x[rows,cols], weight, bias)} rows=12 cols=16", "y", true},
        Wrong{"{y = layer_norm(x[rows,cols], weight, bias)} rows=12 cols=16", "d_x", true},
        Wrong{"{y = linear(x[rows,cols], weight[out,cols])} rows=12 cols=16 out=8", "y", true},
        Wrong{"{y = linear(x[rows,cols], weight[out,cols])} rows=12 cols=16 out=8", "d_weight",
              true},
        Wrong{"{y = batch_norm(x[rows,cols], weight, bias)} rows=12 cols=16", "d_x", true},
        Wrong{"{y = max_pool(x[n,c,h,w], window=2)} n=3 c=4 h=6 w=6", "y", true},
        Wrong{"{y = layer_norm(x[rows,cols], weight, bias)} rows=12 cols=32", "d_weight", false}),
    [](const auto& tested) {
      const Wrong& wrong = tested.param;
      const std::string line = wrong.line;
      return line.substr(5, line.find('(') - 5) + "_" + wrong.tensor;
    });

}  // namespace
}  // namespace gradproof
