// SPDX-License-Identifier: Apache-2.0
#include "oracles/explain/messages.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/claim/stage_traits.h"
#include "core/error.h"
#include "oracles/explain/bound.h"

namespace gradproof {
namespace {

bool is(std::size_t part, SharedError symbol) { return part == static_cast<std::size_t>(symbol); }

/// Of a scale in closed form: its second sum is that of the numbers it takes, for their mean.
bool is_closed(const Claim& claim, const TensorSpec& spec) {
  const auto& steps = claim.pipeline.steps;
  return claim.contract.scale_in_closed_form && claim.pipeline.batch_statistics &&
         std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
           return step.kind == StageKind::scale && spec.name == "d_" + step.parameters.at(0);
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
                             reduction.length == claim.cols ? "columns" : "elements");
  return term;
}

std::string optional_part(const Step& step, std::size_t slot, const char* format) {
  if (slot >= step.parameters.size() || step.parameters[slot].empty()) return "";
  return fmt::format(fmt::runtime(format), step.parameters[slot]);
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

/// A row's words with the step's own parameter or scalar in the place of {0}.
std::string words_of(std::string_view words, const Step& step) {
  if (words.empty())
    throw InstrumentError("no words for step '" + step.name + "' in core/claim/stage_traits.cpp");
  std::string operand;
  if (!step.parameters.empty()) operand = step.parameters.front();
  if (!step.scalars.empty()) operand = fmt::format("{:.9g}", step.scalars.front());
  return fmt::format(fmt::runtime(words), operand);
}

std::string formula_of(const Claim& claim, const Step& step) {
  if (!traits_of(step).is_norm()) return words_of(traits_of(step).formula, step);
  if (claim.contract.affine_folded)
    return fmt::format("in a + ({}- mean a), a = {}rstd", optional_part(step, 1, "{} "),
                       optional_part(step, 0, "{} "));
  return fmt::format("(in - mean) rstd{}{}", optional_part(step, 0, " {}"),
                     optional_part(step, 1, " + {}"));
}

std::string adjoint_of(const Claim& claim, const Step& step) {
  const StageTraits& traits = traits_of(step);
  if (!traits.is_norm()) return words_of(traits.adjoint, step);
  if (traits.normalises == Normalises::group)
    return fmt::format("rstd (h - S1/N - xhat S2/N), h = {}g", optional_part(step, 0, "{} "));
  if (!claim.pipeline.batch_statistics) return optional_part(step, 0, "{} ") + "rstd g";
  return optional_part(step, 0, "{} ") + "rstd (g - S1/N - xhat S2/N)";
}

}  // namespace gradproof
