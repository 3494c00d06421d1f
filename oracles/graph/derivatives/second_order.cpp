// SPDX-License-Identifier: Apache-2.0
#include "oracles/functions/second_order.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/graph/graph_parts.h"
#include "core/parallel.h"
#include "oracles/graph/audit/audit_graph.h"
#include "oracles/graph/audit/graph_function.h"

namespace gradproof {
namespace {

/// Parts that are looked at, spread over all, and entries of each tensor that are compared in one.
constexpr std::int64_t kSecondOrderParts = 2;
constexpr std::int64_t kSecondOrderEntries = 2;
/// Elements of steps of the largest part that is looked at; each entry takes two evaluations of it
/// forward and backward in 400 digits. Above the second number one entry of one part is compared.
constexpr double kLargestPart = 0x1p12;
constexpr double kLongPart = 0x1p9;

bool is_long(const AuditedGraph& graph) { return graph.elements() > kLongPart; }

/// The entries that are compared in one part.
class SecondOrderOfPart {
 public:
  SecondOrderOfPart(const AuditedGraph& graph, std::int64_t part)
      : graph_(graph),
        part_(part),
        function_(graph.plan(), graph.inputs(), graph.block(part)),
        facts_(facts_of(function_)),
        second_(function_, facts_, kSeed) {}

  /// Numbers of a tensor by its place in the graph.
  std::vector<SecondOrderEntry> of_tensor(std::size_t tensor) {
    const std::size_t input = graph_.input_of_function(tensor);
    const auto count = std::ssize(facts_.inputs[input].numbers);
    std::vector<SecondOrderEntry> entries;
    for (const std::int64_t place : spread_over(count, wanted(), "second order")) {
      const auto at = static_cast<std::size_t>(place);
      entries.push_back(second_.entry({input, at, false}));
      entries.back().entry = graph_.entry_of(tensor, part_, at);
    }
    return entries;
  }

  /// Numbers of the cotangents.
  std::vector<SecondOrderEntry> of_cotangents() {
    std::vector<SecondOrderEntry> entries;
    for (const std::int64_t place : spread_over(std::ssize(facts_.dy), wanted(), "cotangents"))
      entries.push_back(second_.entry({0, static_cast<std::size_t>(place), true}));
    return entries;
  }

 private:
  static constexpr std::uint64_t kSeed = 101;

  std::int64_t wanted() const { return is_long(graph_) ? 1 : kSecondOrderEntries; }

  const AuditedGraph& graph_;
  std::int64_t part_;
  GraphFunction function_;
  FunctionFacts facts_;
  SecondOrder<GraphFunction> second_;
};

AuditWitness silent(const std::string& why) {
  AuditWitness witness;
  witness.name = Witness::second_order;
  witness.text = why;
  return witness;
}

/// True if a number that moves enters a step through which nothing goes back to it, as a detached
/// one does: the gradients are then those of no function. Running statistics enter no gradient.
bool has_detached(const AuditedGraph& graph) {
  const GraphPlan& plan = graph.plan();
  std::vector<bool> moves(plan.values.size(), false);
  for (std::size_t k = 0; k < plan.graph->tensors.size(); ++k) {
    moves[k] = has_gradient(plan.graph->tensors[k].part);
    for (const std::size_t step : graph.moved().tensors[k].steps)
      moves[static_cast<std::size_t>(plan.steps[step].value)] = true;
  }
  return std::ranges::any_of(plan.steps, [&](const PlanStep& s) {
    if (s.row->moves_statistic()) return false;
    for (std::size_t o = 0; o < s.operands.size(); ++o)
      if (is_resting(s, o) && moves[static_cast<std::size_t>(s.operands[o])]) return true;
    return false;
  });
}

/// Why nothing is compared; empty if there is no reason.
std::string why_silent(const AuditedGraph& graph) {
  if (has_detached(graph)) return "a step takes a number through which nothing goes back";
  if (graph.elements() <= kLargestPart) return "";
  return fmt::format("parts of {:.0f} elements: too long in 400 digits", graph.elements());
}

std::int64_t numbers_of_outputs(const AuditedGraph& graph) {
  std::int64_t count = 0;
  for (const int output : graph.plan().outputs)
    count += graph.parts() * graph.plan().values[static_cast<std::size_t>(output)].count;
  return count;
}

}  // namespace

std::vector<std::vector<AuditWitness>> second_order_witnesses(const AuditedGraph& graph) {
  std::vector<std::size_t> tensors;
  for (std::size_t k = 0; k < graph.claim().graph.tensors.size(); ++k)
    if (has_gradient(graph.claim().graph.tensors[k].part)) tensors.push_back(k);
  std::vector<std::vector<AuditWitness>> witnesses(tensors.size());
  if (tensors.empty()) return witnesses;
  if (const std::string why = why_silent(graph); !why.empty()) {
    for (auto& of_tensor : witnesses) of_tensor.push_back(silent(why));
    return witnesses;
  }
  std::vector<std::int64_t> parts;
  for (const std::int64_t part :
       spread_over(graph.parts(), is_long(graph) ? 1 : kSecondOrderParts, "second order"))
    if (graph.is_finite(part)) parts.push_back(part);
  // The last row of entries is that of the cotangents.
  std::vector<std::vector<std::vector<SecondOrderEntry>>> found(parts.size());
  for_each_index(std::ssize(parts), [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    SecondOrderOfPart part(graph, parts[at]);
    for (const std::size_t tensor : tensors) found[at].push_back(part.of_tensor(tensor));
    found[at].push_back(part.of_cotangents());
  });
  const auto together = [&](std::size_t row) {
    std::vector<SecondOrderEntry> all;
    for (const auto& of_part : found)
      all.insert(all.end(), of_part[row].begin(), of_part[row].end());
    return all;
  };
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const GraphTensor& tensor = graph.claim().graph.tensors[tensors[t]];
    witnesses[t].push_back(second_order_witness(Witness::second_order, together(t),
                                                numel(graph.claim().shape_of(tensor.name))));
  }
  witnesses[0].push_back(second_order_witness(Witness::second_order_dy, together(tensors.size()),
                                              numbers_of_outputs(graph)));
  return witnesses;
}

}  // namespace gradproof
