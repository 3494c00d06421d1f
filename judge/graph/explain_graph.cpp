// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/explain_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/graph_case.h"
#include "judge/element_choice.h"
#include "judge/graph/check_graph.h"
#include "judge/records.h"
#include "oracles/graph/explain/explain_graph.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

constexpr std::int64_t kReach = 3;

GraphRun run_of(const Case& c) try { return run_graph(c); } catch (const NoOperator& error) {
  throw UsageError(fmt::format("'{}' left nothing to explain: {}", to_string(c), error.what()));
}

LibTorchSays libtorch_says(const GraphRun& run, const std::string& tensor, std::int64_t index) {
  const GraphRun own = in_libtorch_float64(run);
  const Tensor& got = get(own.got, tensor);
  const Truth truth = truths_of_graph(own.claim, own.inputs, tensor, got)
                          .truths.at(static_cast<std::size_t>(index));
  LibTorchSays says;
  says.value = got.at(index);
  says.off = Comparand{index, says.value, truth}.error();
  says.bound = truth.bound;
  return says;
}

}  // namespace

ElementFacts graph_element_facts(const Case& c, const std::string& element) {
  const GraphRun run = run_of(c);
  std::vector<Record> records = graph_records(c, run, blank_record(c));
  std::erase_if(records, [](const Record& record) { return record.shape.empty(); });
  const ChosenElement chosen =
      chosen_element(c, records, element, [](const std::string& tensor) { return tensor; });
  const Tensor& got = get(run.got, chosen.tensor);
  const GraphTruths truths = truths_of_graph(run.claim, run.inputs, chosen.tensor, got);
  const auto comparand = [&](std::int64_t index) {
    return Comparand{index, got.at(index), truths.truths.at(static_cast<std::size_t>(index))};
  };
  ElementFacts facts{.c = c, .formula = to_string(run.claim.graph), .record = chosen.record};
  facts.element = comparand(chosen.index);
  facts.explanation =
      explain_in_graph(run.claim, run.inputs,
                       {chosen.tensor, chosen.index, facts.element.truth,
                        truths.escalated.at(static_cast<std::size_t>(chosen.index)) != 0});
  const std::int64_t last = std::min(got.numel() - 1, chosen.index + kReach);
  for (std::int64_t i = std::max<std::int64_t>(0, chosen.index - kReach); i <= last; ++i)
    facts.neighbours.push_back(comparand(i));
  facts.where = "the tensor";
  facts.unit_size = got.numel();
  facts.unit_bad = chosen.record.discrepancy().bad;
  facts.libtorch = libtorch_says(run, chosen.tensor, chosen.index);
  facts.schedule = has_given_tensors(c) ? "not run: the tensors were given"
                                        : "not run: LibTorch's operators promise no bits";
  return facts;
}

}  // namespace gradproof
