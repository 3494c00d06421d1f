// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/audit/graph_target.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "oracles/graph/audit/audit_graph.h"
#include "oracles/graph/audit/graph_function.h"
#include "oracles/graph/audit/graph_loss.h"
#include "oracles/graph/audit/part_at_rest.h"

namespace gradproof {
namespace {

/// The elements of steps that one tensor's audit may evaluate in many digits: those of products
/// take 10 s of processor time, exponentials ten times as long.
constexpr double kMostInManyDigits = 4e7;
/// The cost of making a function, in evaluations: gradients, widths and roundings.
constexpr double kToMakeFunction = 40;
constexpr double kToMakeQuickly = 4;

/// The evaluations of a part whose numbers are moved through the statistics of their groups.
constexpr double kEvaluationsByStatistics = 24;

/// The most units of a graph that is not cut: each evaluates the graph at rest.
constexpr std::int64_t kUnitsOfWhole = 8;

/// A function whose gradient a control may replace by another claim.
class EditedFunction final : public FunctionOf<GraphFunction> {
 public:
  using FunctionOf::FunctionOf;
  template <class Edit>
  void edit(std::size_t input, const Edit& edited) {
    Values<Digits400>& gradient = facts_.gradient.at(input);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = edited(i, gradient[i]);
  }
  void set_widths(std::size_t input, const Widths& widths) { facts_.widths.at(input) = widths; }
};

}  // namespace

std::vector<Values<Digits400>> adjoint_of_part(const AuditedGraph& graph, std::int64_t part) {
  using Number = Traced<Digits400>;
  const GraphFunction function(graph.plan(), graph.inputs(), graph.block(part));
  Arrays<Number> in;
  for (const FunctionInput& input : function.inputs())
    in.emplace_back(input.numbers.begin(), input.numbers.end());
  const std::vector<double> dy = function.dy();
  std::vector<Values<Digits400>> all;
  for (const auto& numbers : function.gradient<Number>(in, {dy.begin(), dy.end()})) {
    Values<Digits400>& gradient = all.emplace_back();
    for (const Number& number : numbers) gradient.push_back(number.value());
  }
  return all;
}

GraphTarget::GraphTarget(const AuditedGraph& graph, std::size_t tensor, EditClaim edit)
    : graph_(graph),
      tensor_(tensor),
      edit_(std::move(edit)),
      functions_(static_cast<std::size_t>(graph.parts())),
      moved_functions_(static_cast<std::size_t>(graph.parts())),
      quick_functions_(static_cast<std::size_t>(graph.parts())) {
  const std::string& name = graph.claim().graph.tensors[tensor].name;
  const bool is_in_part = graph.is_cut(tensor) && graph.parts() > 1;
  const Reach reach = is_in_part              ? Reach::group
                      : is_shared_in_strips() ? Reach::column
                                              : Reach::all;
  audited_.push_back({name, graph.claim().shape_of(name), reach});
  if (!graph.is_cut())
    units_per_part_ = std::clamp<std::int64_t>(std::ssize(how().columns), 1, kUnitsOfWhole);
}

std::int64_t GraphTarget::blocks() const {
  if (graph_.parts() == 0) return 0;
  return is_shared_in_strips() ? graph_.strips() : units_per_part_ * graph_.parts();
}

std::vector<std::int64_t> GraphTarget::units_of(std::int64_t block) const {
  if (!is_shared_in_strips()) return {block};
  std::vector<std::int64_t> units;
  for (std::int64_t unit = block; unit < graph_.parts(); unit += graph_.strips())
    units.push_back(unit);
  return units;
}

bool GraphTarget::may_bend() const {
  return std::ranges::any_of(graph_.plan().steps,
                             [](const PlanStep& s) { return !s.row->kinks.empty(); });
}

bool GraphTarget::may_be_irregular() const {
  return may_bend() || std::ranges::any_of(graph_.plan().steps, [](const PlanStep& s) {
           return std::isfinite(s.row->defined_from);
         });
}

std::int64_t GraphTarget::unit_size() const {
  std::int64_t most = 1;
  for (const PlanValue& value : graph_.plan().values) most = std::max(most, value.count);
  return most;
}

std::unique_ptr<PerturbedLoss> GraphTarget::losses(AuditArithmetic arithmetic) const {
  if (arithmetic == AuditArithmetic::digits400) return function_loss_of_graph(*this);
  return packed_loss_of_graph(*this, arithmetic);
}

GraphTarget::Columns GraphTarget::columns_of(std::int64_t unit) const {
  const auto of_part = static_cast<std::size_t>(units_per_part_);
  const std::size_t which = static_cast<std::size_t>(unit) % of_part;
  const std::size_t all = how().columns.size();
  return {all * which / of_part, all * (which + 1) / of_part};
}

Digits400 GraphTarget::edited(std::int64_t part, std::size_t position,
                              const Digits400& adjoint) const {
  return edit_ ? edit_(entry_of(part, position), adjoint) : adjoint;
}

double GraphTarget::evaluations(std::int64_t entries) const {
  const auto parts = static_cast<double>(graph_.parts());
  if (graph_.is_cut() && how().normaliser >= 0) return kEvaluationsByStatistics * parts;
  const double columns = static_cast<double>(how().columns.size()) * parts;
  const double shared_by = parts / static_cast<double>(is_shared_in_strips() ? graph_.strips() : 1);
  const double of_entry = in_one_unit(0) ? 1 : shared_by;
  return entries > 0 ? std::min(columns, static_cast<double>(entries) * of_entry) : columns;
}

double GraphTarget::elements_behind() const {
  double elements = 1;
  const GraphPlan& plan = graph_.plan();
  for (const std::size_t k : how().steps)
    elements +=
        static_cast<int>(k) == how().product
            ? static_cast<double>(plan.values[static_cast<std::size_t>(plan.steps[k].value)].count)
            : graph_.elements_of(k);
  return elements;
}

void GraphTarget::spend(double evaluations) const {
  const double spent =
      spent_.fetch_add(evaluations * graph_.elements()) + evaluations * graph_.elements();
  if (spent > kMostInManyDigits)
    throw AuditTooLarge(
        "double-doubles leave more of its entries open than 400 digits decide in minutes, at these "
        "extents");
}

template <class... How>
void GraphTarget::make(std::int64_t part, FunctionOfPart& own, PartAtRest* at_rest,
                       const How&... how) const {
  const auto owner =
      std::make_shared<const GraphFunction>(graph_.plan(), graph_.inputs(), graph_.block(part));
  FunctionOptions options;
  options.dy = owner->dy();
  const auto function = std::make_shared<EditedFunction>(*owner, owner->inputs(), options, how...);
  if (edit_)
    function->edit(graph_.input_of_function(tensor_), [&](std::size_t i, const Digits400& adjoint) {
      return edited(part, i, adjoint);
    });
  const auto& tensors = graph_.claim().graph.tensors;
  for (std::size_t k = 0; at_rest != nullptr && k < tensors.size(); ++k)
    if (has_gradient(tensors[k].part))
      function->set_widths(graph_.input_of_function(k), at_rest->widths(k));
  own.owner = owner;
  own.function = function;
}

const FunctionTarget& GraphTarget::function(std::int64_t part) const {
  FunctionOfPart& own = functions_[static_cast<std::size_t>(part)];
  std::call_once(own.once, [&] {
    spend(kToMakeFunction);
    make(part, own, nullptr);
  });
  return *own.function;
}

const FunctionTarget& GraphTarget::function_of(PartAtRest& part) const {
  FunctionOfPart& own = moved_functions_[static_cast<std::size_t>(part.part())];
  std::call_once(own.once, [&] {
    spend(kToMakeQuickly);
    make(part.part(), own, &part, MadeIn<Digits400>());
  });
  return *own.function;
}

const FunctionTarget& GraphTarget::quick_function(std::int64_t part) const {
  FunctionOfPart& own = quick_functions_[static_cast<std::size_t>(part)];
  std::call_once(own.once, [&] { make(part, own, nullptr, MadeIn<TripledOf<double>>()); });
  return *own.function;
}

}  // namespace gradproof
