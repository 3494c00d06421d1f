// SPDX-License-Identifier: Apache-2.0
#include "judge/audit_column.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/case/law_key.h"
#include "core/error.h"
#include "core/nearest_word.h"
#include "core/tensor/element_text.h"
#include "judge/run_case.h"
#include "oracles/differences/pipeline_target.h"
#include "reports/audit/audit_text.h"
#include "reports/record/json.h"
#include "reports/text/text_table.h"

namespace gradproof {
namespace {

constexpr std::size_t kShown = 64;

/// The kernel's name of a tensor that the model calls otherwise.
std::string kernel_name(const Systems& systems, const Case& c, const Claim& claim,
                        const std::string& name) {
  for (const TensorSpec& spec : claim.tensors)
    if (systems.tensor_name(c, spec.name) == name) return spec.name;
  return name;
}

/// The position of a tensor. Throws UsageError where none has the name, with those that there are.
std::size_t position_of(const Systems& systems, const Case& c, const PipelineTarget& subject,
                        const std::string& name, const std::string& text) {
  std::vector<std::string> known;
  for (const AuditedTensor& tensor : subject.tensors()) {
    if (tensor.name == name || "d_" + tensor.name == name) return known.size();
    known.push_back(systems.tensor_name(c, tensor.name));
  }
  throw UsageError(fmt::format("--column {}: unknown tensor '{}'; known: {}{}", text, name,
                               fmt::join(known, " "), did_you_mean(name, known)));
}

/// Throws UsageError where the index is not the tensor's, with what it may be.
void refuse_outside(const AuditedTensor& tensor, const ElementText& asked,
                    const std::string& text) {
  const Shape& shape = tensor.shape;
  const std::string there = fmt::format("{} has shape ({})", tensor.name, fmt::join(shape, ", "));
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
  const bool of_y = e.side.empty();
  Json json = of_y ? Json{{"index", e.index}} : Json{{"name", e.side}, {"unit", e.index}};
  json["difference"] = number_json(e.difference);
  json["dual"] = number_json(e.dual);
  if (of_y) json["adjoint"] = number_json(e.adjoint);
  json["digits"] = number_json(e.digits);
  return json;
}

}  // namespace

AuditedColumn column_of(const Systems& systems, const Case& c, const std::string& text) {
  const auto asked = element_text(text);
  if (!asked || asked->tensor.empty() || asked->index.empty())
    throw UsageError(fmt::format("'{}' is no TENSOR[INDEX], such as x[3,7]", text));
  refuse_law(c, "gradients");
  const CaseRun run = inputs_of_case(systems, c);
  if (!run.claim.backward)
    throw UsageError(fmt::format("--column {}: '{}' asks for no gradients", text, to_string(c)));
  const std::string name = kernel_name(systems, c, run.claim, asked->tensor);
  const PipelineTarget subject(run.claim, run.inputs);
  const std::size_t tensor = position_of(systems, c, subject, name, text);
  refuse_outside(subject.tensors()[tensor], *asked, text);
  return {jacobian_column(subject, tensor, asked->index), {run.claim.rows(), run.claim.cols()}};
}

std::vector<std::string> lines_of(const AuditedColumn& audited) {
  const JacobianColumn& column = audited.column;
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("{}  {}[{}] changes {} elements of y; {} digits ({} of their own), step 2^{}",
                  name_of(column.verdict.outcome), column.tensor, fmt::join(column.index, ","),
                  column.entries.size(), digits_text(column.digits), digits_text(column.estimate),
                  column.log2_step));
  lines.push_back(
      fmt::format("  the adjoint was asked about {} of them; of {} elements elsewhere {} moved",
                  column.by_adjoint, column.outside, column.outside_moved));
  if (!column.verdict.reason.empty()) lines.push_back("  " + column.verdict.reason);
  std::vector<TextRow> table{{"ELEMENT", "DIFFERENCE", "DUAL NUMBERS", "ADJOINT", "DIGITS"}};
  for (const JacobianEntry& e : shown_entries(column))
    table.push_back({"y" + index_text(audited.shape, e.index), number(e.difference), number(e.dual),
                     number(e.adjoint), digits_text(e.digits)});
  for (const JacobianEntry& s : column.sides)
    table.push_back({fmt::format("{} {}", s.side, s.index), number(s.difference), number(s.dual),
                     "-", digits_text(s.digits)});
  for (const std::string& line : aligned(table)) lines.push_back("  " + line);
  if (column.entries.size() > kShown)
    lines.push_back(fmt::format("  ... and {} with more digits", column.entries.size() - kShown));
  return lines;
}

std::string json_of(const AuditedColumn& audited) {
  const JacobianColumn& column = audited.column;
  Json entries = Json::array();
  for (const JacobianEntry& e : column.entries) entries.push_back(numbers_json(e));
  Json sides = Json::array();
  for (const JacobianEntry& s : column.sides) sides.push_back(numbers_json(s));
  return dump({{"tensor", column.tensor},
               {"shape", audited.shape},
               {"index", column.index},
               {"verdict", name_of(column.verdict.outcome)},
               {"reason", column.verdict.reason},
               {"digits", number_json(column.digits)},
               {"estimate", number_json(column.estimate)},
               {"log2_step", column.log2_step},
               {"by_adjoint", column.by_adjoint},
               {"outside", column.outside},
               {"outside_moved", column.outside_moved},
               {"entries", entries},
               {"sides", sides}});
}

int exit_code_of(const AuditedColumn& audited) {
  const Outcome outcome = audited.column.verdict.outcome;
  return outcome == Outcome::certified ? 0 : outcome == Outcome::wrong ? 1 : 4;
}

}  // namespace gradproof
