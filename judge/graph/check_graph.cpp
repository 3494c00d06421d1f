// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/check_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "core/tensor/digest.h"
#include "judge/graph/given_tensors.h"
#include "judge/records.h"
#include "oracles/graph/judge_graph.h"
#include "oracles/libtorch/autograd.h"
#include "oracles/libtorch/graph.h"

namespace gradproof {
namespace {

using Judgement = std::map<std::string, Judged, std::less<>>;

/// The same numbers in float64, which holds them all.
Tensors in_float64(const Tensors& inputs) {
  Tensors wide;
  for (const auto& [name, from] : inputs) {
    Tensor t(from.dtype() == DType::i64 ? DType::i64 : DType::f64, from.shape());
    for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, from.at(i));
    wide.emplace(name, std::move(t));
  }
  return wide;
}

/// What LibTorch's float64 says where it is out of its own bound, by tensor.
/// `names` are the tensors that it is asked about.
std::map<std::string, std::string> disagreements(const GraphClaim& claim, const Tensors& inputs,
                                                 const Tensors& names) {
  const Tensors wide = in_float64(inputs);
  GraphClaim own = claim;
  own.contract = libtorch_graph_contract(DType::f64);
  Tensors got = graph_in_libtorch(claim.graph, wide, DType::f64);
  std::erase_if(got, [&](const auto& tensor) { return !names.contains(tensor.first); });
  std::map<std::string, std::string> texts;
  for (const auto& [name, judged] : judge_graph(own, wide, got)) {
    const Discrepancy& d = judged.discrepancy;
    if (d.bad > 0)
      texts[name] =
          fmt::format("LibTorch float64 says {} at {} where the oracle says {}", d.worst.got,
                      index_text(get(got, name).shape(), d.worst.index), d.worst.want);
  }
  return texts;
}

Record record_of(const Judged& judged, const Tensor& got, const Record& blank) {
  Record record = blank;
  record.witness = fmt::format("{}, LibTorch float64", kOracle);
  if (judged.escalated > 0)
    record.witness += fmt::format("; {} element{} at 50 digits", judged.escalated,
                                  judged.escalated == 1 ? "" : "s");
  record.shape = got.shape();
  record.figures = judged.discrepancy;
  record.escalated = judged.escalated;
  record.certified = judged.discrepancy.elements - judged.escalated;
  record.verdict = judge(judged.discrepancy);
  record.why = judged.why;
  record.digest = digest(got);
  return record;
}

/// What is judged, and by what contract.
struct Accused {
  GraphContract contract;
  Tensors inputs;  ///< with a cotangent for each output
  Tensors got;     ///< what there is of outputs and gradients
  std::string who;
};

Accused libtorch_accused(const Case& c, const Graph& graph, DType storage) {
  Accused accused{libtorch_graph_contract(storage), make_graph_inputs(graph, c), {}, {}};
  accused.got = graph_in_libtorch(graph, accused.inputs, storage);
  accused.who = "LibTorch " + libtorch_version();
  return accused;
}

Accused given_accused(const Case& c, const Graph& graph, DType storage) {
  GivenTensors given = given_tensors(c, graph);
  return {graph_contract(storage, parse_declared_contract(c.text("contract"), graph)),
          std::move(given.inputs), std::move(given.outputs), "given tensors"};
}

bool has_gradient(const Graph& graph, const Tensors& got) {
  return std::any_of(got.begin(), got.end(),
                     [&](const auto& t) { return !has_name(graph.outputs, t.first); });
}

/// Who gives no gradient at all has run forward alone; of one that is missing among others nothing
/// was proved.
bool is_asked_about(const Graph& graph, const Accused& accused, const std::string& tensor) {
  return has_name(graph.outputs, tensor) || has_gradient(graph, accused.got);
}

/// A tensor that nobody gave.
Record missing_record(const Case& c, const Record& blank, const std::string& tensor) {
  Record record = skipped_record(blank, fmt::format("not in {}", c.text("outputs")));
  record.tensor = tensor;
  return record;
}

}  // namespace

std::vector<Record> graph_records(const Case& c, const Record& blank) try {
  const DType storage = parse_dtype(c.text("dtype"));
  const Graph graph = graph_of(c);
  const GraphExtents extents = extents_of(graph, c);
  // Refuses what the extents cannot be in our words, before LibTorch does.
  const GraphPlan fits(graph, extents, 1, [](double number) { return number; });
  const Accused accused =
      has_given_tensors(c) ? given_accused(c, graph, storage) : libtorch_accused(c, graph, storage);
  const GraphClaim claim{graph, extents, accused.contract};
  const Judgement judged = judge_graph(claim, accused.inputs, accused.got);
  const auto broken = disagreements(claim, accused.inputs, accused.got);
  std::vector<Record> records;
  for (const std::string& tensor : c.schema().tensors) {
    const auto found = judged.find(tensor);
    if (found == judged.end()) {
      if (is_asked_about(graph, accused, tensor))
        records.push_back(missing_record(c, blank, tensor));
      continue;
    }
    Record record = record_of(found->second, get(accused.got, tensor), blank);
    record.tensor = tensor;
    record.context.device = accused.who;
    if (const auto text = broken.find(tensor); text != broken.end())
      record.verdict = {Outcome::instrument_broken, text->second};
    records.push_back(std::move(record));
  }
  if (!has_gradient(graph, accused.got))
    records.push_back(
        skipped_record(blank, fmt::format("gradients: there are none in {}", c.text("outputs"))));
  return records;
} catch (const NoOperator& error) {
  return {skipped_record(blank, error.what())};
}

}  // namespace gradproof
