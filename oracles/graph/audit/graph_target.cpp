// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/audit/graph_target.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/graph/graph_parts.h"
#include "oracles/graph/audit/graph_function.h"
#include "oracles/graph/audit/graph_loss.h"
#include "oracles/graph/blocks/block_numbers.h"
#include "oracles/graph/blocks/blocks.h"

namespace gradproof {
namespace {

/// The elements of steps that one tensor's audit may evaluate in many digits: some two minutes.
constexpr double kMostInManyDigits = 2e7;
/// The cost of making a function, in evaluations: gradients, widths and roundings.
constexpr double kToMakeFunction = 40;

/// The evaluations of a part whose numbers are moved through the statistics of their groups.
constexpr double kEvaluationsByStatistics = 24;

/// The most units of a graph that is not cut: each evaluates the graph at rest.
constexpr std::int64_t kUnitsOfWhole = 8;

/// The elements of a step; for a product the number of its terms.
double elements_of(const GraphPlan& plan, const PlanStep& s) {
  const auto count = static_cast<double>(plan.values[static_cast<std::size_t>(s.value)].count);
  if (s.row->form == StageForm::contracts) return count * static_cast<double>(s.products[0].length);
  return std::max(count, static_cast<double>(s.space));
}

/// A part's function and the plan that it refers to.
struct FunctionOfPart {
  GraphPlan plan;
  GraphFunction function;
  FunctionOfPart(const GraphClaim& claim, const Tensors& inputs, const PackedBlock& block)
      : plan(claim.plan(block.block.length)), function(plan, inputs, block) {}
};

/// A function whose gradient a control may replace by another claim.
class EditedFunction final : public FunctionOf<GraphFunction> {
 public:
  using FunctionOf::FunctionOf;
  template <class Edit>
  void edit(std::size_t input, const Edit& edited) {
    Values<Digits400>& gradient = facts_.gradient.at(input);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = edited(i, gradient[i]);
  }
};

}  // namespace

GraphTarget::GraphTarget(const GraphClaim& claim, const Tensors& inputs, std::size_t tensor,
                         EditClaim edit)
    : claim_(claim),
      inputs_(inputs),
      tensor_(tensor),
      edit_(std::move(edit)),
      cut_(block_axis(claim.graph, claim.extents)),
      by_part_(has_name(claim.graph.tensors[tensor].axes, cut_)),
      plan_(claim.plan(1)),
      moved_(plan_) {
  const std::string& name = claim.graph.tensors[tensor].name;
  const std::int64_t whole = cut_.empty() ? 1 : claim.extents.at(cut_);
  for (std::int64_t k = 0; k < whole; ++k) {
    Part& part = parts_.emplace_back();
    part.block = {cut_, {k, 1, whole}, 1};
    if (by_part_)
      each_run(plan_.values[tensor], part.block.block,
               [&](std::int64_t, std::int64_t first, std::int64_t count) {
                 for (std::int64_t i = 0; i < count; ++i) part.entries.push_back(first + i);
               });
  }
  for (const PlanStep& s : plan_.steps) elements_ += elements_of(plan_, s);
  const Reach reach = by_part_ && whole > 1 ? Reach::group : Reach::all;
  audited_.push_back({name, claim.shape_of(name), reach});
  if (cut_.empty())
    units_per_part_ = std::clamp<std::int64_t>(std::ssize(how().columns), 1, kUnitsOfWhole);
}

std::int64_t GraphTarget::unit_size() const {
  std::int64_t most = 1;
  for (const PlanValue& value : plan_.values) most = std::max(most, value.count);
  return most;
}

std::unique_ptr<PerturbedLoss> GraphTarget::losses(AuditArithmetic arithmetic) const {
  if (arithmetic == AuditArithmetic::double_double) return packed_loss_of_graph(*this);
  return function_loss_of_graph(*this, arithmetic);
}

GraphTarget::Columns GraphTarget::columns_of(std::int64_t unit) const {
  const auto of_part = static_cast<std::size_t>(units_per_part_);
  const std::size_t which = static_cast<std::size_t>(unit) % of_part;
  const std::size_t all = how().columns.size();
  return {all * which / of_part, all * (which + 1) / of_part};
}

bool GraphTarget::is_finite(std::int64_t part) const {
  Part& own = at(part);
  std::call_once(own.read, [&] {
    const PackedNumbers packed(plan_, inputs_, own.block);
    const BlockNumbers numbers = packed.view();
    own.finite = true;
    const auto take = [&](const double* from, int value) {
      const std::int64_t count = plan_.values[static_cast<std::size_t>(value)].count;
      if (from != nullptr)
        own.finite = own.finite && std::all_of(from, from + count,
                                               [](double number) { return std::isfinite(number); });
    };
    for (std::size_t k = 0; k < numbers.tensors.size(); ++k)
      take(numbers.tensors[k], static_cast<int>(k));
    for (std::size_t k = 0; k < plan_.outputs.size(); ++k)
      take(numbers.cotangents[k], plan_.outputs[k]);
  });
  return own.finite;
}

std::int64_t GraphTarget::entry_of(std::int64_t part, std::size_t position) const {
  const std::vector<std::int64_t>& entries = at(part).entries;
  return entries.empty() ? static_cast<std::int64_t>(position) : entries[position];
}

Digits400 GraphTarget::edited(std::int64_t part, std::size_t position,
                              const Digits400& adjoint) const {
  return edit_ ? edit_(entry_of(part, position), adjoint) : adjoint;
}

std::size_t GraphTarget::input_of_function(std::size_t tensor) const {
  std::size_t before = 0;
  for (std::size_t k = 0; k < tensor; ++k)
    if (has_gradient(claim_.graph.tensors[k].part)) ++before;
  return before;
}

double GraphTarget::evaluations(std::int64_t entries) const {
  if (!cut_.empty() && how().normaliser >= 0)
    return kEvaluationsByStatistics * static_cast<double>(parts());
  const double columns = static_cast<double>(how().columns.size()) * static_cast<double>(parts());
  return entries > 0 ? std::min(columns, static_cast<double>(entries)) : columns;
}

double GraphTarget::elements_behind() const {
  double elements = 1;
  for (const std::size_t k : how().steps) {
    const PlanStep& s = plan_.steps[k];
    elements += static_cast<int>(k) == how().product
                    ? static_cast<double>(plan_.values[static_cast<std::size_t>(s.value)].count)
                    : elements_of(plan_, s);
  }
  return elements;
}

void GraphTarget::spend(double evaluations) const {
  const double spent = spent_.fetch_add(evaluations * elements_) + evaluations * elements_;
  if (spent > kMostInManyDigits)
    throw AuditTooLarge(
        "double-doubles leave more of its entries open than 400 digits decide in minutes, at these "
        "extents");
}

const FunctionTarget& GraphTarget::function(std::int64_t part) const {
  Part& own = at(part);
  std::call_once(own.once, [&] {
    spend(kToMakeFunction);
    const auto owner = std::make_shared<const FunctionOfPart>(claim_, inputs_, own.block);
    FunctionOptions options;
    options.dy = owner->function.dy();
    const auto function =
        std::make_shared<EditedFunction>(owner->function, owner->function.inputs(), options);
    if (edit_)
      function->edit(input_of_function(tensor_), [&](std::size_t i, const Digits400& adjoint) {
        return edited(part, i, adjoint);
      });
    own.owner = owner;
    own.function = function;
  });
  return *own.function;
}

}  // namespace gradproof
