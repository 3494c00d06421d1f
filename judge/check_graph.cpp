// SPDX-License-Identifier: Apache-2.0
#include "judge/check_graph.h"

#include <fmt/format.h>

#include "core/graph/graph_case.h"
#include "core/tensor/digest.h"
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
std::map<std::string, std::string> disagreements(const GraphClaim& claim, const Tensors& inputs) {
  const Tensors wide = in_float64(inputs);
  GraphClaim own = claim;
  own.contract = libtorch_graph_contract(DType::f64);
  const Tensors got = graph_in_libtorch(claim.graph, wide, DType::f64);
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

}  // namespace

std::vector<Record> graph_records(const Case& c, const Record& blank) try {
  const DType storage = parse_dtype(c.text("dtype"));
  const Graph graph = graph_of(c);
  const GraphClaim claim{graph, extents_of(graph, c), libtorch_graph_contract(storage)};
  // Refuses what the extents cannot be in our words, before LibTorch does.
  const GraphPlan fits(claim.graph, claim.extents, 1, [](double number) { return number; });
  const Tensors inputs = make_graph_inputs(graph, c);
  const Tensors got = graph_in_libtorch(graph, inputs, storage);
  const Judgement judged = judge_graph(claim, inputs, got);
  const auto broken = disagreements(claim, inputs);
  std::vector<Record> records;
  for (const std::string& tensor : c.schema().tensors) {
    Record record = record_of(judged.at(tensor), get(got, tensor), blank);
    record.tensor = tensor;
    record.context.device = "LibTorch " + libtorch_version();
    if (const auto found = broken.find(tensor); found != broken.end())
      record.verdict = {Outcome::instrument_broken, found->second};
    records.push_back(std::move(record));
  }
  return records;
} catch (const NoOperator& error) {
  return {skipped_record(blank, error.what())};
}

}  // namespace gradproof
