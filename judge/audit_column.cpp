// SPDX-License-Identifier: Apache-2.0
#include "judge/audit_column.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/law_key.h"
#include "core/error.h"
#include "core/graph/graph_case.h"
#include "core/graph/graph_parts.h"
#include "core/nearest_word.h"
#include "core/tensor/element_text.h"
#include "judge/graph/graph_run.h"
#include "judge/run_case.h"
#include "oracles/claim/graph_of_claim.h"
#include "reports/audit/audit_text.h"
#include "reports/record/json.h"
#include "reports/text/text_table.h"

namespace gradproof {
namespace {

constexpr std::size_t kShown = 64;

/// The graph of a Case and its inputs.
struct Subject {
  GraphClaim claim;
  Tensors inputs;
};

Subject subject_of(const Systems& systems, const Case& c) {
  if (is_graph_case(c)) {
    GraphRun run = inputs_of_graph(c);
    return {std::move(run.claim), std::move(run.inputs)};
  }
  CaseRun run = inputs_of_case(systems, c);
  GraphClaim claim = audited_graph_of_claim(run.claim, run.inputs);
  return {std::move(claim), std::move(run.inputs)};
}

/// The place in the graph of a tensor that has a gradient. Throws UsageError where none has the
/// name, with those that there are.
std::size_t place_of(const Systems& systems, const Case& c, const Graph& graph,
                     const std::string& name, const std::string& text) {
  std::vector<std::string> known;
  for (std::size_t k = 0; k < graph.tensors.size(); ++k) {
    if (!has_gradient(graph.tensors[k].part)) continue;
    const std::string own = systems.tensor_name(c, graph.tensors[k].name);
    if (own == name || gradient_name(own) == name) return k;
    known.push_back(own);
  }
  if (known.empty())
    throw UsageError(fmt::format("--column {}: '{}' asks for no gradients", text, to_string(c)));
  throw UsageError(fmt::format("--column {}: unknown tensor '{}'; known: {}{}", text, name,
                               fmt::join(known, " "), did_you_mean(name, known)));
}

/// Throws UsageError where the index is not the tensor's, with what it may be.
void refuse_outside(const std::string& tensor, const Shape& shape, const ElementText& asked,
                    const std::string& text) {
  const std::string there = fmt::format("{} has shape ({})", tensor, fmt::join(shape, ", "));
  if (numel(shape) == 0) throw UsageError(fmt::format("--column {}: {}, no elements", text, there));
  if (asked.index.size() != shape.size())
    throw UsageError(fmt::format(
        "--column {}: {} where {} are wanted; {}", text,
        asked.index.size() == 1 ? "one index" : fmt::format("{} indices", asked.index.size()),
        shape.size(), there));
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (asked.index[k] < 0 || asked.index[k] >= shape[k])
      throw UsageError(fmt::format("--column {}: index {} is out of range, 0 to {}; {}", text,
                                   asked.index[k], shape[k] - 1, there));
}

std::vector<JacobianEntry> shown_entries(const JacobianColumn& column) {
  std::vector<JacobianEntry> entries = column.entries;
  if (entries.size() <= kShown) return entries;
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const JacobianEntry& a, const JacobianEntry& b) { return a.digits < b.digits; });
  entries.resize(kShown);
  return entries;
}

std::string number(double value) { return fmt::format("{:.17g}", value); }

Json numbers_json(const JacobianEntry& e) {
  return {{"output", e.output},
          {"index", e.index},
          {"difference", number_json(e.difference)},
          {"dual", number_json(e.dual)},
          {"adjoint", number_json(e.adjoint)},
          {"digits", number_json(e.digits)}};
}

}  // namespace

AuditedColumn column_of(const Systems& systems, const Case& c, const std::string& text) {
  const auto asked = element_text(text);
  if (!asked || asked->tensor.empty() || asked->index.empty())
    throw UsageError(fmt::format("'{}' is no TENSOR[INDEX], such as x[3,7]", text));
  refuse_law(c, "gradients");
  const Subject subject = subject_of(systems, c);
  const GraphClaim& claim = subject.claim;
  const std::size_t tensor = place_of(systems, c, claim.graph, asked->tensor, text);
  const std::string& name = claim.graph.tensors[tensor].name;
  refuse_outside(name, claim.shape_of(name), *asked, text);
  AuditedColumn audited;
  audited.column = jacobian_column(AuditedGraph(claim, subject.inputs), tensor, asked->index);
  for (const std::string& output : claim.graph.outputs)
    audited.shapes.emplace(output, claim.shape_of(output));
  return audited;
}

std::vector<std::string> lines_of(const AuditedColumn& audited) {
  const JacobianColumn& column = audited.column;
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("{}  {}[{}] changes {} elements; {} digits ({} of their own), step 2^{}",
                  name_of(column.verdict.outcome), column.tensor, fmt::join(column.index, ","),
                  column.entries.size(), digits_text(column.digits), digits_text(column.estimate),
                  column.log2_step));
  lines.push_back(
      fmt::format("  the adjoint was asked about {} of them; of {} elements elsewhere {} moved",
                  column.by_adjoint, column.outside, column.outside_moved));
  if (!column.verdict.reason.empty()) lines.push_back("  " + column.verdict.reason);
  std::vector<TextRow> table{{"ELEMENT", "DIFFERENCE", "DUAL NUMBERS", "ADJOINT", "DIGITS"}};
  for (const JacobianEntry& e : shown_entries(column))
    table.push_back({e.output + index_text(audited.shapes.at(e.output), e.index),
                     number(e.difference), number(e.dual), number(e.adjoint),
                     digits_text(e.digits)});
  for (const std::string& line : aligned(table)) lines.push_back("  " + line);
  if (column.entries.size() > kShown)
    lines.push_back(fmt::format("  ... and {} with more digits", column.entries.size() - kShown));
  return lines;
}

std::string json_of(const AuditedColumn& audited) {
  const JacobianColumn& column = audited.column;
  Json shapes = Json::object();
  for (const auto& [output, shape] : audited.shapes) shapes[output] = shape;
  Json entries = Json::array();
  for (const JacobianEntry& e : column.entries) entries.push_back(numbers_json(e));
  return dump({{"tensor", column.tensor},
               {"shapes", shapes},
               {"index", column.index},
               {"verdict", name_of(column.verdict.outcome)},
               {"reason", column.verdict.reason},
               {"digits", number_json(column.digits)},
               {"estimate", number_json(column.estimate)},
               {"log2_step", column.log2_step},
               {"by_adjoint", column.by_adjoint},
               {"outside", column.outside},
               {"outside_moved", column.outside_moved},
               {"entries", entries}});
}

int exit_code_of(const AuditedColumn& audited) {
  const Outcome outcome = audited.column.verdict.outcome;
  return outcome == Outcome::certified ? 0 : outcome == Outcome::wrong ? 1 : 4;
}

}  // namespace gradproof
