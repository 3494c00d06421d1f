// SPDX-License-Identifier: Apache-2.0
#include "oracles/explain/messages.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/graph/stages.h"
#include "oracles/explain/bound.h"
#include "oracles/pipeline/compiled_pipeline.h"

namespace gradproof {
namespace {

bool is(std::size_t part, SharedError symbol) { return part == static_cast<std::size_t>(symbol); }

/// Of a scale in closed form: its second sum is that of the numbers it takes, for their mean.
bool is_closed(const Claim& claim, const TensorSpec& spec) {
  if (spec.role != Role::gradient || claim.is_matrix(spec)) return false;
  const CompiledPipeline compiled(claim);
  const auto slot = static_cast<int>(compiled.number(spec.name.substr(2)));
  return std::any_of(compiled.lines.begin(), compiled.lines.end(), [&](const CompiledStep& line) {
    return line.gradient_behind && line.numbers[0] == slot;
  });
}

std::string statistics_text(std::size_t part, const Claim& claim, const TensorSpec& spec,
                            std::int64_t length) {
  if (is(part, SharedError::mean)) return fmt::format("sum of {} numbers for the mean", length);
  const bool variance = spec.role == Role::buffer && part == kIndependent;
  if (!is(part, SharedError::rstd) && !variance)
    return fmt::format("sums of {} numbers for mean and variance", length);
  const char* purpose = variance ? "the variance" : "1/std";
  if (claim.contract.variance == Variance::welford)
    return fmt::format("Welford's updates by {} numbers for {}", length, purpose);
  if (claim.contract.variance == Variance::one_pass)
    return fmt::format("sums of {} numbers and their squares for {}", length, purpose);
  return fmt::format("sum of {} squares for {}", length, purpose);
}

std::string gradients_text(std::size_t part, const Claim& claim, const TensorSpec& spec,
                           std::int64_t length) {
  constexpr const char* kFactors[]{"xhat", "x - mean", "x"};
  if (is(part, SharedError::first_sum)) return fmt::format("S1, sum of {} cotangents", length);
  if (is(part, SharedError::second_sum) && is_closed(claim, spec))
    return fmt::format("sum of {} numbers for their mean", length);
  if (is(part, SharedError::second_sum))
    return fmt::format("S2, sum of {} cotangents times {}", length,
                       kFactors[static_cast<std::size_t>(claim.contract.backward)]);
  if (!claim.is_matrix(spec)) return fmt::format("sum of {} terms over the unit", length);
  return fmt::format("the unit's two sums of {}", length);
}

std::string rounding_text(std::size_t part, bool closed) {
  if (is(part, SharedError::mean)) return "single roundings of the mean";
  if (is(part, SharedError::rstd)) return "single roundings of variance and 1/std";
  if (is(part, SharedError::first_sum)) return "single roundings added up in S1";
  if (is(part, SharedError::second_sum))
    return closed ? "single roundings of a mean" : "single roundings added up in S2";
  return "single roundings of the elementwise steps";
}

Term reduction_term(Source source, std::size_t part, const Claim& claim, const TensorSpec& spec) {
  const Reduction& reduction = claim.contract.reduction(reduction_of(source));
  Term term{"", fmt::format("{}, chain {}", reduction.shape, reduction.chain), 0};
  if (source == Source::statistics)
    term.words = statistics_text(part, claim, spec, reduction.length);
  else if (source == Source::gradients)
    term.words = gradients_text(part, claim, spec, reduction.length);
  else if (source == Source::parameters)
    term.words = fmt::format("sum over {} rows", reduction.length);
  else
    term.words = fmt::format("sum over {} {}", reduction.length,
                             reduction.length == claim.cols() ? "columns" : "elements");
  return term;
}

/// " weight", "weight ": the tensor in that place of a norm, in a format; nothing where none is.
std::string optional_part(const GraphStep& step, const char* word, const char* format) {
  const std::string name = operand_of(step, word);
  return name.empty() ? "" : fmt::format(fmt::runtime(format), name);
}

/// What a word of a row's formula is in this step: "in" is what runs through it, "g" the cotangent
/// of its value.
std::string word_in(const GraphStep& step, const std::string& word) {
  const GraphStage& row = graph_stage(step.stage);
  if (word == "dy") return "g";
  for (std::size_t k = 0; k < step.operands.size(); ++k) {
    if (row.operands[k].word != word) continue;
    const GraphOperand& operand = step.operands[k];
    if (k == 0) return "in";
    return operand.is_number() ? fmt::format("{:.9g}", operand.number) : operand.name;
  }
  for (const StageOption& option : row.options)
    if (option.key == word && option.words.empty()) return fmt::format("{:.9g}", step.number(word));
  return word;
}

/// A row's formula with the step's own names and numbers.
std::string words_of(std::string_view formula, const GraphStep& step) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::string text;
  while (!formula.empty()) {
    const auto end = std::find_if_not(formula.begin(), formula.end(), in_word);
    const auto length = static_cast<std::size_t>(end - formula.begin());
    text += length == 0 ? std::string(1, formula.front())
                        : word_in(step, std::string(formula.substr(0, length)));
    formula.remove_prefix(std::max<std::size_t>(1, length));
  }
  return text;
}

}  // namespace

std::string reduction_of(Source source) {
  switch (source) {
    case Source::statistics:
      return kStatistics;
    case Source::gradients:
      return kGradients;
    case Source::parameters:
      return kParameters;
    case Source::shared:
      return kShared;
    default:
      return "";
  }
}

Term term_of(Source source, std::size_t part, const Claim& claim, const TensorSpec& spec) {
  const Contract& contract = claim.contract;
  switch (source) {
    case Source::exponential:
      return {"exp", fmt::format("{:.3g}u", contract.exp_error), 0};
    case Source::reciprocal_root:
      return {"1/sqrt", fmt::format("{:.3g}u", contract.rsqrt_error), 0};
    case Source::underflow:
      return {"underflow of products", std::string(name_of(contract.accumulation)), 0};
    case Source::rounding:
      return {rounding_text(part, is_closed(claim, spec)),
              std::string(name_of(contract.accumulation)), 0};
    case Source::storage:
      return {fmt::format("storing in {}", name_of(spec.dtype)), "", 0};
    default:
      return reduction_term(source, part, claim, spec);
  }
}

std::string formula_of(const Claim& claim, const GraphStep& step) {
  const GraphStage& row = graph_stage(step.stage);
  if (!row.is_norm()) return words_of(row.formula, step);
  if (claim.contract.affine_folded)
    return fmt::format("in a + ({}- mean a), a = {}rstd", optional_part(step, "beta", "{} "),
                       optional_part(step, "weight", "{} "));
  return fmt::format("(in - mean) rstd{}{}", optional_part(step, "weight", " {}"),
                     optional_part(step, "beta", " + {}"));
}

std::string adjoint_of(const GraphStep& step) {
  const GraphStage& row = graph_stage(step.stage);
  if (!row.is_norm()) return words_of(row.adjoint.substr(0, row.adjoint.find(';')), step);
  const std::string weight = optional_part(step, "weight", "{} ");
  if (row.axes == StageAxes::group)
    return fmt::format("rstd (h - S1/N - xhat S2/N), h = {}g", weight);
  if (row.statistics == StageStatistics::given) return weight + "rstd g";
  return weight + "rstd (g - S1/N - xhat S2/N)";
}

}  // namespace gradproof
