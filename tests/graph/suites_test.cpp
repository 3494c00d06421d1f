// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "core/graph/graph_case.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

struct Suite {
  std::string name;
  std::string dtype;
};

class GraphSuites : public testing::TestWithParam<Suite> {};

/// LibTorch's operators on every line: nothing over its bound, nothing undecided.
TEST_P(GraphSuites, LibTorchIsWithinItsBound) {
  const std::string path = GRADPROOF_SOURCE_DIR "/fixtures/cases/" + GetParam().name + ".cases";
  int judged = 0;
  for (const Case& written : read_cases(path, {})) {
    const Case c = written.with("dtype", GetParam().dtype);
    const Graph graph = graph_of(c);
    const DType storage = parse_dtype(c.text("dtype"));
    const GraphClaim claim{graph, extents_of(graph, c), libtorch_graph_contract(storage)};
    const Tensors inputs = make_graph_inputs(graph, c);
    try {
      const Tensors got = graph_in_libtorch(graph, inputs, {graph, storage});
      for (const auto& [name, found] : judge_graph(claim, inputs, got)) {
        EXPECT_EQ(found.discrepancy.bad, 0) << to_string(c) << " " << name;
        EXPECT_EQ(found.discrepancy.undecided, 0) << to_string(c) << " " << name;
        ++judged;
      }
    } catch (const NoOperator&) {  // three-dimensional average pools in 16 bits
      EXPECT_EQ(size_of(storage), 2U) << to_string(c);
    }
  }
  EXPECT_GT(judged, GetParam().name == "level2" ? 300 : 30);
}

INSTANTIATE_TEST_SUITE_P(
    All, GraphSuites,
    testing::Values(Suite{"level2", "f32"}, Suite{"level2", "f64"}, Suite{"level2", "f16"},
                    Suite{"level2", "bf16"}, Suite{"language", "f32"}, Suite{"language", "f64"},
                    Suite{"language", "f16"}, Suite{"language", "bf16"}, Suite{"norms", "f32"},
                    Suite{"norms", "f64"}, Suite{"norms", "f16"}, Suite{"norms", "bf16"},
                    Suite{"elementwise", "f16"}, Suite{"elementwise", "bf16"}),
    [](const auto& tested) { return tested.param.name + "_" + tested.param.dtype; });

}  // namespace
}  // namespace gradproof
