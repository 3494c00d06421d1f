// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/graph_run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "core/parallel.h"
#include "judge/graph/accused.h"
#include "judge/graph/given_run.h"
#include "judge/graph/given_tensors.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

/// The inputs in float64, which holds all their numbers; tensors of i64 stay as they are.
Tensors in_float64(const Tensors& inputs) {
  Tensors wide;
  for (const auto& [name, from] : inputs) {
    if (from.dtype() == DType::i64) {
      wide.emplace(name, from);
      continue;
    }
    Tensor& t = wide.emplace(name, Tensor(DType::f64, from.shape())).first->second;
    constexpr std::int64_t kPart = 1 << 16;
    for_each_index((t.numel() + kPart - 1) / kPart, [&](std::int64_t part) {
      const std::int64_t first = part * kPart;
      from.read(first, 1, std::min(kPart, t.numel() - first), t.view().as<double>() + first);
    });
  }
  return wide;
}

GraphRun with_known_blocks(GraphRun run) {
  if (elements_of(run.got) <= kMostKept) run.known = std::make_shared<KnownBlocks>();
  return run;
}

}  // namespace

std::int64_t elements_of(const Tensors& tensors) {
  std::int64_t all = 0;
  for (const auto& [name, tensor] : tensors) all += tensor.numel();
  return all;
}

GraphRun inputs_of_graph(const Case& c) {
  GraphRun run{graph_claim_of(c), {}, {}, {}};
  if (!has_given_tensors(c)) {
    run.inputs = make_graph_inputs(run.claim.graph, c);
    return run;
  }
  GivenTensors given = given_tensors(c, run.claim.graph);
  run.inputs = std::move(given.inputs);
  run.got = std::move(given.outputs);
  run.who = device_of_given(c);
  return with_known_blocks(std::move(run));
}

GraphRun run_graph(const Systems& systems, const Case& c) {
  GraphRun run = inputs_of_graph(c);
  if (has_given_tensors(c)) return run;
  const Accused accused = accused_of(systems, c);
  Computed computed = accused.compute(run.claim, run.inputs);
  run.got = std::move(computed.tensors);
  run.findings = std::move(computed.findings);
  run.again = std::move(computed.again);
  run.counted = std::move(computed.counted);
  run.who = accused.who;
  return with_known_blocks(std::move(run));
}

GraphRun in_libtorch_float64(const GraphRun& run) {
  GraphRun own{run.claim, in_float64(run.inputs), {}, "LibTorch float64"};
  own.claim.contract = libtorch_graph_contract(DType::f64);
  own.got = graph_in_libtorch(own.claim.graph, own.inputs, {own.claim.graph, DType::f64});
  return own;
}

std::string disagreement(const Discrepancy& found, const Tensor& got) {
  return fmt::format("LibTorch float64 says {} at {} where the oracle says {}", found.worst.got,
                     index_text(got.shape(), found.worst.index), found.worst.want);
}

}  // namespace gradproof
