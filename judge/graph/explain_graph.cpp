// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/explain_graph.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/graph_case.h"
#include "core/tensor/digest.h"
#include "judge/element_choice.h"
#include "judge/explain_witnesses.h"
#include "judge/graph/chains/measured_chains.h"
#include "judge/graph/check_graph.h"
#include "judge/graph/samples/sampled_part.h"
#include "judge/records.h"
#include "oracles/graph/explain/explain_graph.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

[[noreturn]] void refuse_to_explain(const Case& c, const std::string& reason) {
  throw UsageError(fmt::format("'{}' left nothing to explain: {}", to_string(c), reason));
}

GraphRun run_of(const Systems& systems, const Case& c) try {
  GraphRun run = run_graph(systems, c);
  if (!run.findings.empty()) refuse_to_explain(c, simt::text_of(run.findings));
  const bool is_sampled = !sample_plans_of(c, run.claim.graph, run.claim.extents).empty();
  return is_sampled ? with_masks(std::move(run)) : run;
} catch (const NoOperator& error) {
  refuse_to_explain(c, error.what());
}

std::string other_schedule_text(const Case& c, const GraphRun& run, const std::string& tensor) {
  if (has_given_tensors(c)) return "not run: the tensors were given";
  if (is_graph_in_braces(c)) return "not run: LibTorch's operators promise no bits";
  const auto again = run.again.find(tensor);
  return again == run.again.end() ? "the kernel promises no bits"
                                  : schedule_text(digest(get(run.got, tensor)), again->second);
}

/// The contract under which the tensor has its verdict.
GraphContract contract_of(const Case& c, const GraphRun& run, const std::string& tensor) {
  GraphRun alone = run.of({{tensor, get(run.got, tensor)}});
  alone.counted = run.counted;
  return judged_as_measured(c, alone).at(tensor).contract;
}

double certain_bound(const GraphRun& run, const std::string& tensor, std::int64_t index) {
  GraphClaim certain = run.claim;
  certain.contract.bound = ErrorBound::certain;
  return truths_of_graph(certain, run.inputs, tensor, get(run.got, tensor))
      .truths.at(static_cast<std::size_t>(index))
      .bound;
}

/// The part of a run of which a part was judged, around the element: its own place along each axis
/// that is cut, and its neighbours' along the last.
RunPart part_around(const GraphRun& run, const ChosenElement& chosen, const GraphExtents& cut) {
  const auto& axes = axes_of_target(run.claim.graph, chosen.tensor);
  const Shape& shape = get(run.got, chosen.tensor).shape();
  CutPlaces places;
  std::int64_t index = chosen.index;
  for (std::size_t k = axes.size(); k-- > 0; index /= shape[k]) {
    if (!cut.contains(axes[k])) continue;
    const std::int64_t place = index % shape[k];
    const std::int64_t beside = k + 1 == axes.size() ? kNeighbours : 0;
    const std::int64_t last = std::min(shape[k] - 1, place + beside);
    for (std::int64_t p = std::max<std::int64_t>(0, place - beside); p <= last; ++p)
      places[axes[k]].push_back(p);
  }
  return {run, {chosen.tensor}, std::move(places)};
}

/// The axes along which the tensor is cut where parts are judged.
GraphExtents cut_axes(const Case& c, const GraphRun& run, const std::string& tensor) {
  for (const SamplePlan& plan : sample_plans_of(c, run.claim.graph, run.claim.extents))
    if (has_name(plan.targets, tensor)) return plan.counts;
  return {};
}

LibTorchAnswer libtorch_answer(const GraphRun& run, const std::string& tensor, std::int64_t index) {
  LibTorchAnswer says;
  if (!has_libtorch()) {
    says.silence = kNoLibTorch;
    return says;
  }
  const GraphRun own = in_libtorch_float64(run);
  const Tensor& got = get(own.got, tensor);
  const Truth truth = truths_of_graph(own.claim, own.inputs, tensor, got)
                          .truths.at(static_cast<std::size_t>(index));
  says.value = got.at(index);
  says.off = Comparand{index, says.value, truth}.error();
  says.bound = truth.bound;
  return says;
}

}  // namespace

ElementFacts graph_element_facts(const Systems& systems, const Case& c,
                                 const std::string& element) {
  const GraphRun whole = run_of(systems, c);
  std::vector<Record> records = graph_records(c, whole, blank_record(c));
  // A tensor that was not judged has no elements; a single number is an element and has no axes.
  std::erase_if(records, [](const Record& record) { return record.discrepancy().elements == 0; });
  const ChosenElement chosen =
      chosen_element(c, records, element, [](const std::string& tensor) { return tensor; });
  const RunPart part = part_around(whole, chosen, cut_axes(c, whole, chosen.tensor));
  GraphRun run = part.run();
  run.counted = whole.counted;
  const std::int64_t chosen_index = part.index_of(chosen.tensor, chosen.index);
  const Tensor& got = get(run.got, chosen.tensor);
  run.claim.contract = contract_of(c, run, chosen.tensor);
  const GraphTruths truths = truths_of_graph(run.claim, run.inputs, chosen.tensor, got);
  const auto comparand = [&](std::int64_t index) {
    return Comparand{part.whole_index(chosen.tensor, index), got.at(index),
                     truths.truths.at(static_cast<std::size_t>(index))};
  };
  ElementFacts facts{.c = c,
                     .formula = to_string(run.claim.graph),
                     .record = chosen.record,
                     .element = comparand(chosen_index)};
  if (run.claim.contract.bound != ErrorBound::certain)
    facts.certain = certain_bound(run, chosen.tensor, chosen_index);
  facts.explanation =
      explain_in_graph(run.claim, run.inputs,
                       {chosen.tensor, chosen_index, facts.element.truth,
                        truths.escalated.at(static_cast<std::size_t>(chosen_index)) != 0});
  const std::int64_t last = std::min(got.numel() - 1, chosen_index + kNeighbours);
  for (std::int64_t i = std::max<std::int64_t>(0, chosen_index - kNeighbours); i <= last; ++i)
    facts.neighbours.push_back(comparand(i));
  facts.where = "the tensor";
  facts.unit_size = chosen.record.discrepancy().elements;
  facts.unit_bad = chosen.record.discrepancy().bad;
  facts.libtorch = libtorch_answer(run, chosen.tensor, chosen_index);
  facts.schedule = other_schedule_text(c, whole, chosen.tensor);
  return facts;
}

}  // namespace gradproof
