// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/chains/measured_chains.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "judge/graph/chains/graph_sums.h"

namespace gradproof {
namespace {

/// Additions that stand between two products without being of a sum: a forward step has at most two
/// (of a norm the shift and eps or the mean, of a log_softmax the maximum and the logarithm), its
/// adjoint three more (g - S1/N - xhat S2/N, and one for the cotangent of another taker).
constexpr std::int64_t kOfStep = 2, kOfAdjoint = 3;

/// The Case of code that says its chains.
Case with_chain(const Case& c, std::int64_t additions) {
  const std::string& said = c.text("contract");
  return c.with("contract",
                fmt::format("{}{}sums=chain:{}", said, said.empty() ? "" : ",", additions));
}

}  // namespace

SumChains measured_chains(const Case& c, const GraphRun& run) {
  SumChains chains;
  const auto declared = declared_of(c);
  if (!declared || declared->every.sums.contains("sums")) return chains;
  for (const auto& [name, counted] : run.counted.tensors) {
    std::int64_t most = 0;
    for (const GraphSum& sum : sums_behind(run.claim, name))
      if (sum.is_open()) most = std::max(most, sum.order.chain_of(sum.length));
    // The longest way has the additions of other sums in it too.
    if (most > 0)
      chains[name] = {ChainSource::measured, std::clamp<std::int64_t>(counted.path, 1, most), most};
  }
  return chains;
}

JudgedRun judged_as_measured(const Case& c, const GraphRun& run, Detail detail) {
  std::map<std::int64_t, Tensors> by_chain;  // 0: as it is declared
  const SumChains chains = measured_chains(c, run);
  for (const auto& [name, got] : run.got) {
    const auto found = chains.find(name);
    by_chain[found == chains.end() ? 0 : found->second.additions].emplace(name, got);
  }
  JudgedRun all;
  for (auto& [additions, got] : by_chain) {
    const Case as_measured = additions == 0 ? c : with_chain(c, additions);
    GraphRun part = run.of(std::move(got));
    const Graph& graph = part.claim.graph;
    if (additions > 0)
      part.claim.contract = graph_contract(graph, types_of(graph, c), *declared_of(as_measured));
    all.merge(judged_run(as_measured, part, detail));
  }
  return all;
}

/// Sums may follow each other without a product between, as a sum of sums does.
std::int64_t permitted_additions(const GraphClaim& claim, const std::string& tensor) {
  const bool is_output = has_name(claim.graph.outputs, tensor);
  auto most = std::ssize(claim.graph.steps) * (is_output ? kOfStep : kOfStep + kOfAdjoint);
  for (const GraphSum& sum : sums_behind(claim, tensor)) most += sum.additions();
  return most;
}

std::string shorter_than_measured(const GraphRun& run, const std::string& tensor) {
  const auto counted = run.counted.tensors.find(tensor);
  if (counted == run.counted.tensors.end()) return "";
  const std::int64_t permitted = permitted_additions(run.claim, tensor);
  if (counted->second.longest <= permitted) return "";
  return fmt::format(
      "its source has chains of {} additions, counted on the executor, and what it declares "
      "permits "
      "{} ({})",
      counted->second.longest, permitted, run.claim.contract.declared);
}

}  // namespace gradproof
