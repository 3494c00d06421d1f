// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/hypotheses.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/graph/name_rules.h"
#include "core/graph/stages.h"
#include "core/tensor/dtype.h"
#include "oracles/graph/explain/graph_site.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof::diagnosis {
namespace {

/// False if the change left out the tensor whose gradient is asked for.
bool has_target(const Changed& changed) {
  const Graph& graph = changed.claim.graph;
  return has_name(graph.outputs, changed.name) ||
         std::ranges::any_of(graph.tensors, [&](const GraphTensor& tensor) {
           return gradient_name(tensor.name) == changed.name;
         });
}

/// The extents of all axes of the changed graph, of which the claim knows those of the old one.
GraphExtents extents_of(const GraphClaim& changed) {
  GraphExtents said;
  for (const GraphAxis& axis : changed.graph.axes)
    if (const auto known = changed.extents.find(axis.name);
        axis.is_given() && known != changed.extents.end())
      said.insert(*known);
  return changed.graph.extents(said);
}

/// True if the changed graph has the norm of a given statistic, with as many groups.
bool has_statistic(const Changed& changed, const NormStatistic& statistic) {
  const Graph& graph = changed.claim.graph;
  const auto step = std::ranges::find(graph.steps, statistic.norm, &GraphStep::value);
  if (step == graph.steps.end() || !graph_stage(step->stage).is_norm()) return false;
  std::int64_t count = 1;
  for (const CountedAxis& axis : counted_axes(changed.claim, statistic.name)) count *= axis.extent;
  const auto given = changed.statistics.find(statistic.name);
  return given == changed.statistics.end() || given->second.numel() == count;
}

/// Given statistics are those of norms that the changed graph still has.
FurtherInputs further_of(Changed& changed) {
  FurtherInputs further;
  const std::vector<NormStatistic> all = changed.claim.statistics;
  if (std::ranges::all_of(all,
                          [&](const NormStatistic& one) { return has_statistic(changed, one); }))
    further.statistics = changed.statistics;
  else
    changed.claim.statistics.clear();
  if (changed.claim.statistics.empty()) further.statistics.clear();
  return further;
}

/// The numbers of the changed claim, with their bound. Returns nullopt if the target is gone, or if
/// the language or the oracle refuses the changed claim.
std::optional<Prediction> computed(Changed changed, const Tensor& like) {
  if (!has_target(changed)) return std::nullopt;
  try {
    const JudgedTensors asked{{changed.name, &like}};
    changed.claim.extents = extents_of(changed.claim);
    const FurtherInputs further = further_of(changed);
    const GraphPlan fits = changed.claim.plan(1);  // it refuses groups that do not divide an axis
    const auto all = truths_of_graph(changed.claim, changed.inputs, asked, further);
    const auto found = all.find(changed.name);
    if (found == all.end()) return std::nullopt;  // nothing goes back to the tensor any more
    Prediction predicted;
    const Truths& truths = found->second.truths;
    for (std::size_t i = 0; i < truths.size(); ++i) {
      const Truth truth = truths.at(i);
      predicted.push_back({LongDouble(truth.hi) + LongDouble(truth.lo), truth.bound});
    }
    return predicted;
  } catch (const UsageError&) {
    return std::nullopt;
  } catch (const InstrumentError&) {
    return std::nullopt;
  }
}

}  // namespace

Changed unchanged(const WrongTensor& asked) {
  return {asked.claim, asked.inputs, asked.name, asked.statistics};
}

Hypothesis changed_to(std::string text, Change change, Rank rank) {
  Hypothesis one{std::move(text), rank, false, true, 0, {}};
  one.predict = [change =
                     std::move(change)](const WrongTensor& asked) -> std::optional<Prediction> {
    std::optional<Changed> changed = change(asked);
    if (!changed) return std::nullopt;
    std::optional<Prediction> p = computed(std::move(*changed), asked.got);
    // A fault makes no number more exact than the right code has it.
    for (std::size_t i = 0; p && i < std::min(p->size(), asked.entries.size()); ++i)
      if (std::isfinite(asked.entries[i].bound))
        (*p)[i].tolerance = std::max((*p)[i].tolerance, asked.entries[i].bound);
    return p;
  };
  return one;
}

Hypothesis changed_graph(std::string text, Graph graph, Rank rank) {
  const auto change = [graph = std::move(graph)](const WrongTensor& asked) {
    std::optional<Changed> changed{unchanged(asked)};
    changed->claim.graph = graph;
    return changed;
  };
  return changed_to(std::move(text), change, rank);
}

Hypothesis changed_tensor(std::string text, std::string name,
                          std::function<Tensor(const Tensor&)> function, Rank rank) {
  const auto change = [name = std::move(name),
                       function = std::move(function)](const WrongTensor& asked) {
    std::optional<Changed> changed{unchanged(asked)};
    const auto found = changed->inputs.find(name);
    if (found != changed->inputs.end()) found->second = function(found->second);
    return changed;
  };
  return changed_to(std::move(text), change, rank);
}

Hypothesis changed_places(std::string text, std::string name,
                          std::function<Tensor(const Tensor&)> function) {
  const auto change = [name = std::move(name),
                       function = std::move(function)](const WrongTensor& asked) {
    std::optional<Changed> changed{unchanged(asked)};
    changed->inputs.at(name) = changed_input(asked, name, function);
    return changed;
  };
  return changed_to(std::move(text), change);
}

Hypothesis predicted(std::string text, Rank rank,
                     std::function<std::optional<Prediction>(const WrongTensor&)> predict) {
  return {std::move(text), rank, false, false, 0, std::move(predict)};
}

Hypothesis predicted_each(std::string text, Rank rank,
                          std::function<PredictedEntry(const ComparedEntry&)> predict) {
  return predicted(std::move(text), rank, [predict = std::move(predict)](const WrongTensor& asked) {
    std::optional<Prediction> all{Prediction()};
    for (const ComparedEntry& entry : asked.entries) all->push_back(predict(entry));
    return all;
  });
}

Hypotheses hypotheses_about(const WrongTensor& whole) {
  Hypotheses all;
  for (const auto family :
       {add_factors, add_counts, add_cotangents, add_adjoints, add_stages, add_tensors,
        add_products, add_layouts, add_places, add_statistics, add_numbers, add_formulas,
        add_precisions, add_sums, add_rounded_sums, add_misplaced, add_fitted})
    family(whole, all);
  std::ranges::stable_sort(all, {}, &Hypothesis::rank);
  return all;
}

}  // namespace gradproof::diagnosis
