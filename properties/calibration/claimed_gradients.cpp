// SPDX-License-Identifier: Apache-2.0
#include "properties/calibration/claimed_gradients.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "core/graph/graph_parts.h"
#include "core/parallel.h"
#include "oracles/claim/graph_of_claim.h"
#include "oracles/graph/audit/audit_graph.h"

namespace gradproof {
namespace {

using ManyDigits = std::map<std::string, Values<Digits400>, std::less<>>;

/// The places in the graph of the tensors that have a gradient.
std::vector<std::size_t> differentiated(const Graph& graph) {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < graph.tensors.size(); ++k)
    if (has_gradient(graph.tensors[k].part)) places.push_back(k);
  return places;
}

ManyDigits adjoint_in_many_digits(const AuditedGraph& graph) {
  std::vector<std::vector<Values<Digits400>>> parts(static_cast<std::size_t>(graph.parts()));
  for_each_index(graph.parts(), [&](std::int64_t part) {
    parts[static_cast<std::size_t>(part)] = adjoint_of_part(graph, part);
  });
  ManyDigits all;
  const std::vector<std::size_t> places = differentiated(graph.claim().graph);
  for (std::size_t t = 0; t < places.size(); ++t) {
    const std::string& name = graph.claim().graph.tensors[places[t]].name;
    Values<Digits400>& sums = all[gradient_name(name)];
    sums.assign(static_cast<std::size_t>(numel(graph.claim().shape_of(name))), Digits400(0));
    for (std::int64_t part = 0; part < graph.parts(); ++part) {
      const Values<Digits400>& terms = parts[static_cast<std::size_t>(part)][t];
      for (std::size_t i = 0; i < terms.size(); ++i)
        sums[static_cast<std::size_t>(graph.entry_of(places[t], part, i))] += terms[i];
    }
  }
  return all;
}

/// The count of parts that an entry of the tensor affects.
std::int64_t parts_of_entry(const AuditedGraph& graph, std::size_t tensor) {
  if (graph.is_cut(tensor) || !graph.is_cut()) return 1;
  return graph.is_in_strips(tensor) ? graph.parts() / graph.strips() : graph.parts();
}

EditClaim edit_of(const AuditedGraph& graph, std::size_t tensor, const std::vector<Real>& claimed,
                  const Values<Digits400>& adjoint) {
  Values<Digits400> all(claimed.begin(), claimed.end());
  const std::int64_t parts = parts_of_entry(graph, tensor);
  if (parts == 1)
    return [all](std::int64_t entry, const Digits400&) {
      return all[static_cast<std::size_t>(entry)];
    };
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = (all[i] - adjoint[i]) / parts;
  return [all](std::int64_t entry, const Digits400& of_part) {
    return Digits400(of_part + all[static_cast<std::size_t>(entry)]);
  };
}

}  // namespace

RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs) {
  const GraphClaim of_graph = audited_graph_of_claim(claim, inputs);
  RealGradients all;
  for (const auto& [name, gradient] : adjoint_in_many_digits(AuditedGraph(of_graph, inputs)))
    for (const Digits400& entry : gradient) all[name].emplace_back(entry);
  return all;
}

std::vector<AuditRow> audit(const Claim& claim, const Tensors& inputs,
                            const AuditOptions& options) {
  return graph_differences(audited_graph_of_claim(claim, inputs), inputs, options);
}

std::vector<AuditRow> audit_gradients(const Claim& claim, const Tensors& inputs,
                                      const RealGradients& claimed, const AuditOptions& options) {
  const GraphClaim of_graph = audited_graph_of_claim(claim, inputs);
  const AuditedGraph graph(of_graph, inputs);
  const ManyDigits adjoint = adjoint_in_many_digits(graph);
  EditClaims edits;
  for (const std::size_t k : differentiated(of_graph.graph)) {
    const std::string& name = of_graph.graph.tensors[k].name;
    const auto found = claimed.find(gradient_name(name));
    if (found == claimed.end() || std::ssize(found->second) != numel(of_graph.shape_of(name)))
      throw InstrumentError(fmt::format("no gradient d_{} of its size is claimed", name));
    edits[name] = edit_of(graph, k, found->second, adjoint.find(gradient_name(name))->second);
  }
  return graph_differences(of_graph, inputs, options, edits);
}

BesideEntry beside_entry(const Claim& claim, const Tensors& inputs, const std::string& name,
                         std::int64_t entry, const std::vector<Real>& gradient) {
  const GraphClaim of_graph = audited_graph_of_claim(claim, inputs);
  const AuditedGraph graph(of_graph, inputs);
  BesideEntry beside;
  for (const std::size_t k : differentiated(of_graph.graph)) {
    if (gradient_name(of_graph.graph.tensors[k].name) != name) continue;
    const GraphTarget target(graph, k);
    const auto losses = target.losses(AuditArithmetic::double_double);
    for (const std::int64_t unit : all_units(target)) {
      losses->take_unit(unit);
      std::vector<std::size_t> entries;
      for (std::int64_t place = 0; place < losses->count(k); ++place)
        entries.push_back(static_cast<std::size_t>(losses->entry(k, place)));
      if (std::ranges::find(entries, static_cast<std::size_t>(entry)) == entries.end()) continue;
      beside.typical += std::ldexp(losses->typical_change(k), -losses->log2_scale(k));
      for (const std::size_t each : entries)
        beside.largest = std::max(beside.largest, Real(abs(gradient[each])));
    }
  }
  return beside;
}

}  // namespace gradproof
