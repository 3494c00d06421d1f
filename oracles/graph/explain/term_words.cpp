// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/term_words.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/axes/convolution.h"
#include "core/graph/axes/operand_axes.h"

namespace gradproof {
namespace {

/// The names of the numbers that a step's groups share, in the order of SharedError.
using SharedNames = std::array<const char*, kSharedErrors>;

SharedNames shared_names(const GraphStage& stage) {
  if (!stage.is_norm()) return {"the logarithm", "the sum", "the adjoint's sum", "the adjoint"};
  return {"the mean", stage.word == "rms_norm" ? "1/rms" : "1/std", "S1", "S2"};
}

bool is_of_adjoint(const ErrorWay& way) {
  return way.is(SharedError::first_sum) || way.is(SharedError::second_sum);
}

/// True if the step itself computes the number that its groups share.
bool is_own(const StepPlace& place, const ErrorWay& way) {
  return way.part < kSharedErrors && way.owner == static_cast<int>(place.step) &&
         (place.adjoint || !is_of_adjoint(way));
}

bool has_form(const StepContract& contract, const GraphStep& step, FormPart part, int form) {
  return contract.of(part, step.stage) == FormSet{1U << form};
}

/// The text of the sums behind mean and variance that enter by that way.
std::string statistics_text(const GraphStep& step, const StepContract& contract,
                            std::int64_t length, const ErrorWay& way) {
  const bool mean = step.stage == "running_mean" || way.is(SharedError::mean);
  if (mean) return fmt::format("sum of {} numbers for the mean", length);
  const bool variance = step.stage == "running_var" || step.stage == "var";
  if (!variance && step.stage != "rstd" && !way.is(SharedError::rstd))
    return fmt::format("sums of {} numbers for mean and variance", length);
  const char* const purpose = variance                   ? "the variance"
                              : step.stage == "rms_norm" ? "1/rms"
                                                         : "1/std";
  if (has_form(contract, step, FormPart::variance, static_cast<int>(Variance::welford)))
    return fmt::format("Welford's updates by {} numbers for {}", length, purpose);
  if (has_form(contract, step, FormPart::variance, static_cast<int>(Variance::one_pass)))
    return fmt::format("sums of {} numbers and their squares for {}", length, purpose);
  return fmt::format("sum of {} squares for {}", length, purpose);
}

/// The text of the sums of a norm's adjoint.
std::string gradients_text(const GraphStep& step, const StepContract& contract, std::int64_t length,
                           const ErrorWay& way) {
  constexpr std::array kFactors{"xhat", "x - mean", "x"};
  if (way.is(SharedError::first_sum)) return fmt::format("S1, sum of {} cotangents", length);
  if (!way.is(SharedError::second_sum)) return fmt::format("S1 and S2, sums of {}", length);
  const char* factor = kFactors.front();
  for (std::size_t k = 0; k < kFactors.size(); ++k)
    if (has_form(contract, step, FormPart::adjoint, static_cast<int>(k))) factor = kFactors[k];
  return fmt::format("S2, sum of {} cotangents times {}", length, factor);
}

std::vector<std::string> without_axes(std::vector<std::string> axes,
                                      const std::vector<std::string>& others) {
  std::erase_if(axes, [&](const std::string& axis) { return has_name(others, axis); });
  return axes;
}

/// The axes of the numbers that a step goes over.
const std::vector<std::string>& space_of(const Graph& graph, const GraphStep& s) {
  const bool elementwise = graph_stage(s.stage).form == StageForm::elementwise;
  return graph.axes_of(elementwise ? s.value : s.operands.front().name);
}

}  // namespace

std::int64_t TermWords::extent_of(const std::vector<std::string>& axes) const {
  std::int64_t all = 1;
  for (const std::string& axis : axes) all *= claim_.extents.at(axis);
  return all;
}

std::int64_t TermWords::length_of(const GraphStep& s, const StepSource& source) const {
  const Graph& graph = claim_.graph;
  const std::vector<std::string>& space = space_of(graph, s);
  if (source.role == SumRole::parameters) {
    const std::size_t operand = shared_operand(claim_, s, target_);
    if (graph_stage(s.stage).form == StageForm::contracts && operand > 0)
      return terms_of_gradient(graph, claim_.extents, s, operand);
    return extent_of(without_axes(space, graph.axes_of(s.operands[operand].name)));
  }
  switch (graph_stage(s.stage).form) {
    case StageForm::contracts:
      return source.role == SumRole::value ? product_lengths(graph, claim_.extents, s).value
                                           : product_lengths(graph, claim_.extents, s).first;
    case StageForm::slides:
      return taps_of_window(s);
    case StageForm::selects:
      return extent_of(without_axes(space, s.axes));
    case StageForm::moves:
      return extent_of(graph.axes_of(s.operands[graph_stage(s.stage).labels()].name));
    default:
      return extent_of(s.axes) /
             (s.stage == "group_norm" ? static_cast<std::int64_t>(s.number("groups")) : 1);
  }
}

std::string TermWords::sum_text(const StepPlace& place, const StepSource& source,
                                const ErrorWay& way) const {
  const GraphStep& s = step(place);
  const GraphStage& stage = graph_stage(s.stage);
  const StepContract& contract = claim_.contract.step(s.value);
  const std::int64_t length = length_of(s, source);
  if (source.role == SumRole::parameters) {
    const std::string& name = s.operands[shared_operand(claim_, s, target_)].name;
    return fmt::format("sum of {} terms for {}", length, gradient_name(name));
  }
  const bool moments =
      stage.is_norm() || stage.moves_statistic() || s.stage == "var" || s.stage == "rstd";
  if (source.role == SumRole::value && moments) return statistics_text(s, contract, length, way);
  if (source.role == SumRole::gradients && stage.is_norm())
    return gradients_text(s, contract, length, way);
  const bool of_products = stage.form == StageForm::contracts || s.stage == "softmax";
  const char* const summands = source.role == SumRole::gradients
                                   ? (of_products ? "products" : "cotangents")
                               : stage.takes("exp") ? "exponentials"
                               : of_products        ? "products"
                                                    : "numbers";
  return fmt::format("sum of {} {}", length, summands);
}

Term TermWords::of_step(const StepPlace& place, const std::string& text, const std::string& detail,
                        const ErrorWay& way) const {
  const std::string& value = step(place).value;
  std::string words = place.adjoint ? fmt::format("adjoint of {}: {}", value, text)
                                    : fmt::format("{} of {}", text, value);
  const bool shared = way.part != ErrorParts::kIndependent && way.owner >= 0;
  const bool own = is_own(place, way);
  if (shared && !own) {
    const GraphStep& owner = claim_.graph.steps[static_cast<std::size_t>(way.owner)];
    words += fmt::format(", through {} of {}", shared_names(graph_stage(owner.stage))[way.part],
                         owner.value);
  }
  return {std::move(words), detail, 0};
}

Term TermWords::of_source(const StepPlace& place, const StepSource& source,
                          const ErrorWay& way) const {
  const GraphContract& contract = claim_.contract;
  if (source.function != nullptr)
    return of_step(place, std::string(source.name),
                   fmt::format("{:.3g}u", contract.functions.*source.function), way);
  const GraphStep& s = step(place);
  const SumOrder& order = contract.step(s.value).order(source.role);
  const std::string in_order = order.kind == SumOrder::Kind::chain ? "" : order.text() + ", ";
  return of_step(place, sum_text(place, source, way),
                 fmt::format("{}chain {}", in_order, chain(s, source)), way);
}

Term TermWords::of_roundings(const StepPlace& place, const ErrorWay& way) const {
  const bool own = is_own(place, way);
  const GraphStage& stage = graph_stage(step(place).stage);
  std::string text = "single roundings";
  if (own && is_of_adjoint(way)) text += " added up in ";
  if (own && !is_of_adjoint(way))
    text += way.is(SharedError::rstd) && stage.is_norm() ? " of variance and " : " of ";
  if (own) text += shared_names(stage)[way.part];
  return of_step(place, text, type(), way);
}

std::int64_t TermWords::chain(const GraphStep& s, const StepSource& source) const {
  if (source.function != nullptr) return 0;
  return claim_.contract.step(s.value).order(source.role).chain_of(length_of(s, source));
}

const GraphStep* TermWords::first_taker() const {
  const std::string tensor = tensor_of_gradient(target_);
  for (const GraphStep& s : claim_.graph.steps)
    if (s.takes(tensor)) return &s;
  return nullptr;
}

std::int64_t TermWords::chain_of_sum() const {
  const GraphStep* const taker = first_taker();
  const bool is_sum =
      taker != nullptr && shared_operand(claim_, *taker, target_) < taker->operands.size();
  return is_sum ? chain(*taker, {SumRole::parameters}) : 0;
}

Term TermWords::of_sum() const {
  const Graph& graph = claim_.graph;
  const GraphStep* const taker = first_taker();
  if (taker == nullptr) return {};
  const std::string tensor = tensor_of_gradient(target_);
  std::vector<std::string> over;
  for (const std::string& axis : without_axes(space_of(graph, *taker), graph.axes_of(tensor)))
    over.push_back(fmt::format("{} {}", claim_.extents.at(axis), axis));
  return {fmt::format("sum over {}", fmt::join(over, " and ")),
          fmt::format("chain {}", chain_of_sum()), 0};
}

}  // namespace gradproof
