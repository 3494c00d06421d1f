// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/derivatives/jacobian_column.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/parallel.h"
#include "oracles/differences/entry.h"
#include "oracles/differences/steps/step_rules.h"
#include "oracles/functions/output_derivatives.h"
#include "oracles/graph/audit/graph_function.h"

namespace gradproof {
namespace {

/// Digits of agreement for "certified". With fewer, the column is wrong if the differences agree
/// with themselves to over one digit more.
constexpr double kWantedDigits = 30;
/// Elements of steps that the backward passes of the whole column may evaluate, roughly.
constexpr double kAdjointWork = 0x1p18;
/// Elements of steps of all parts together: some two minutes.
constexpr double kMostElements = 2e6;
/// At most this many parts outside the reach are evaluated.
constexpr std::size_t kOutsideParts = 4;

/// The digits of an error relative to a scale, from 0 on; 0 for a NaN.
double digits_on(const Real& error, const Real& scale) {
  const double relative = error == 0 ? 0 : Real(error / scale).convert_to<double>();
  return std::isnan(relative) ? 0 : std::max(0.0, digits_of(relative));
}

/// One part as a function of its tensors.
struct PartOfColumn {
  GraphFunction function;
  FunctionFacts facts;
  PartOfColumn(const AuditedGraph& graph, const Tensors& inputs, std::int64_t part)
      : function(graph.plan(), inputs, graph.block(part)), facts(facts_of(function)) {}
};

class Column {
 public:
  Column(const AuditedGraph& graph, std::size_t tensor, const std::vector<std::int64_t>& index)
      : graph_(graph), tensor_(tensor), entry_(0), place_(0) {
    const PlanValue& value = graph.plan().values[tensor];
    const Shape shape = graph.claim().shape_of(value.name);
    for (std::size_t k = 0; k < index.size(); ++k) {
      entry_ = entry_ * shape[k] + index[k];
      place_ = place_ * value.extents[k] + index[k] % value.extents[k];
    }
    for (std::int64_t part = 0; part < graph.parts(); ++part)
      if (graph.entry_of(tensor, part, static_cast<std::size_t>(place_)) == entry_)
        affected_.push_back(part);
  }

  /// Fills in all but the verdict.
  void fill_in(JacobianColumn& column) {
    const double work = graph_.elements() * static_cast<double>(affected_.size());
    if (work > kMostElements)
      throw UsageError(fmt::format(
          "a column of this graph takes {:.1e} elements of steps in 400 digits, {:.0e} at most; "
          "smaller extents take less",
          work, kMostElements));
    std::vector<OutputDerivatives> parts(affected_.size());
    std::vector<int> steps(parts.size());
    for_each_index(std::ssize(affected_), [&](std::int64_t k) {
      const auto at = static_cast<std::size_t>(k);
      const PartOfColumn part(graph_, graph_.inputs(), affected_[at]);
      const std::size_t input = graph_.input_of_function(tensor_);
      const auto place = static_cast<std::size_t>(place_);
      steps[at] =
          step_rules::kLastChoice.log2_step + std::min(0, part.facts.widths[input].own[place]);
      parts[at] =
          output_derivatives(part.function, part.facts, input, place, steps[at], apart(work));
    });
    column.log2_step = steps.front();
    width_ = steps.front() - step_rules::kLastChoice.log2_step;
    Real scale(0);
    for (const OutputDerivatives& part : parts) {
      column.smooth = column.smooth && part.smooth;
      for (const OutputDerivative& of : part.of)
        scale = std::max(scale, scale_of(of, std::ssize(part.of)));
    }
    column.digits = column.estimate = digits_of(0);
    for (std::size_t k = 0; k < parts.size(); ++k) take_part(column, affected_[k], parts[k], scale);
    std::ranges::stable_sort(column.entries, {},
                             [](const JacobianEntry& e) { return std::pair(e.output, e.index); });
    look_outside(column);
  }

 private:
  std::size_t apart(double work) const {
    std::int64_t outputs = 0;
    for (const int output : graph_.plan().outputs)
      outputs += graph_.plan().values[static_cast<std::size_t>(output)].count;
    const double most = std::max(1.0, kAdjointWork / work);
    return static_cast<std::size_t>(std::ceil(static_cast<double>(outputs) / most));
  }

  Real scale_of(const OutputDerivative& of, std::ptrdiff_t outputs) const {
    if (!of.moves) return Real(0);
    const Real typical = ldexp(Real(abs(of.rest)), -width_) / outputs;
    return std::max(typical, Real(abs(of.dual)));
  }

  void take_part(JacobianColumn& column, std::int64_t part, const OutputDerivatives& derivatives,
                 const Real& scale) const {
    auto next = derivatives.of.begin();
    for (const int output : graph_.plan().outputs) {
      const auto value = static_cast<std::size_t>(output);
      for (std::int64_t i = 0; i < graph_.plan().values[value].count; ++i)
        take(column, *next++, scale, graph_.plan().values[value].name,
             graph_.entry_of(value, part, static_cast<std::size_t>(i)));
    }
  }

  static void take(JacobianColumn& column, const OutputDerivative& of, const Real& scale,
                   const std::string& output, std::int64_t index) {
    if (!of.moves) {
      ++column.outside;
      if (of.difference != 0 || (of.adjoint && *of.adjoint != 0)) ++column.outside_moved;
      return;
    }
    const Real by_adjoint = of.adjoint ? Real(abs(*of.adjoint - of.dual)) : Real(0);
    const Real by_difference = abs(of.difference - of.dual);
    const Real& miss = by_adjoint <= by_difference ? by_difference : by_adjoint;
    const double digits = isnan(of.difference) ? 0 : digits_on(miss, scale);
    column.by_adjoint += of.adjoint ? 1 : 0;
    column.digits = std::min(column.digits, digits);
    column.estimate = std::min(column.estimate, digits_on(of.self_error, scale));
    column.entries.push_back(
        {output, index, of.difference.convert_to<double>(), of.dual.convert_to<double>(),
         of.adjoint ? of.adjoint->convert_to<double>() : std::nan(""), digits});
  }

  /// Counts outputs that change with the number in parts that it must not affect: the neighbours of
  /// the part that has it, the first and the last part.
  void look_outside(JacobianColumn& column) const {
    std::set<std::int64_t> outside;
    for (const std::int64_t part :
         {affected_.front() + 1, affected_.front() - 1, std::int64_t{0}, graph_.parts() - 1})
      if (part >= 0 && part < graph_.parts() && outside.size() < kOutsideParts &&
          !std::ranges::binary_search(affected_, part))
        outside.insert(part);
    if (outside.empty()) return;
    Tensors changed = graph_.inputs();
    Tensor& tensor = changed.at(graph_.plan().values[tensor_].name);
    const double before = tensor.at(entry_);
    tensor.set(entry_, before == 0 ? 1 : before / 2);
    for (const std::int64_t part : outside) {
      const Values<Real> at_rest = outputs(graph_.inputs(), part);
      const Values<Real> moved = outputs(changed, part);
      column.outside += std::ssize(at_rest);
      for (std::size_t i = 0; i < at_rest.size(); ++i)
        if (at_rest[i] != moved[i] && !(isnan(at_rest[i]) && isnan(moved[i])))
          ++column.outside_moved;
    }
  }

  Values<Real> outputs(const Tensors& inputs, std::int64_t part) const {
    const PartOfColumn of(graph_, inputs, part);
    const FunctionIn<GraphFunction, Digits400> in(of.function, of.facts);
    return in.in_real(in.value().y);
  }

  const AuditedGraph& graph_;
  std::size_t tensor_;
  std::int64_t entry_;
  std::int64_t place_;                  ///< of the number in each part that it affects
  std::vector<std::int64_t> affected_;  ///< parts, in ascending order
  int width_ = 0;                       ///< log2 of that over which the outputs change
};

/// The verdict, computed from all other members of the column.
Verdict verdict_of(const JacobianColumn& column) {
  const bool finite = std::ranges::all_of(column.entries, [](const JacobianEntry& entry) {
    return std::isfinite(entry.difference) && std::isfinite(entry.dual);
  });
  std::string outside = "every output depends on it";
  if (column.outside_moved > 0)
    outside = fmt::format("{} of {} elements that do not depend on it move", column.outside_moved,
                          column.outside);
  else if (column.outside > 0)
    outside = fmt::format("{} elements that do not depend on it do not move", column.outside);
  if (column.outside_moved > 0) return {Outcome::wrong, outside};
  if (!column.smooth) return {Outcome::inconclusive, "the number lies on a kink: " + outside};
  if (!finite) return {Outcome::inconclusive, "not finite; " + outside};
  if (column.digits >= kWantedDigits) {
    if (column.by_adjoint < std::ssize(column.entries))
      outside += fmt::format("; the adjoint was asked of {} of {}", column.by_adjoint,
                             column.entries.size());
    return {Outcome::certified, outside};
  }
  const std::string agreement =
      fmt::format("the differences agree with themselves to {:.1f} digits", column.estimate);
  if (column.estimate <= column.digits + 1) return {Outcome::inconclusive, agreement};
  return {Outcome::wrong,
          fmt::format("the ways agree to {:.1f} digits; {}", column.digits, agreement)};
}

}  // namespace

JacobianColumn jacobian_column(const AuditedGraph& graph, std::size_t tensor,
                               const std::vector<std::int64_t>& index) {
  JacobianColumn column;
  column.tensor = graph.plan().values[tensor].name;
  column.index = index;
  Column(graph, tensor, index).fill_in(column);
  column.verdict = verdict_of(column);
  return column;
}

}  // namespace gradproof
