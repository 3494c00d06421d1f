// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/explain_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oracles/graph/explain/step_bounds.h"
#include "oracles/graph/explain/tighter_contracts.h"
#include "oracles/graph/target_roundings.h"

namespace gradproof {
namespace {

/// The most numbers of a graph that are evaluated with 50 digits for one explanation.
constexpr std::int64_t kExactly = std::int64_t{1} << 19;
/// Numbers of a graph that are evaluated for one term of a sum's bound, about.
constexpr std::int64_t kSampled = 1 << 14;
/// Summands among which the largest is searched.
constexpr std::int64_t kSummands = 64;

/// Explains one element, F being the type that the contract accumulates in.
template <class F>
class GraphExplainer {
 public:
  GraphExplainer(const GraphClaim& claim, const Tensors& inputs, const ExplainedElement& asked)
      : claim_(claim),
        inputs_(inputs),
        asked_(asked),
        element_(claim, asked.target, asked.index),
        whole_(element_.cut.empty() ? 1 : claim.extents.at(element_.cut)),
        summed_(!element_.cut.empty() && !element_.sliced),
        calls_(step_texts(claim.graph)) {
    for (const GraphTensor& t : claim.graph.tensors) slice_ += numel(claim.shape_of(t.name));
    for (const GraphStep& s : claim.graph.steps) slice_ += numel(claim.shape_of(s.value));
    slice_ = std::max<std::int64_t>(slice_ / std::max<std::int64_t>(whole_, 1), 1);
  }

  Explanation explanation() const {
    Explanation e;
    e.ruled = asked_.ruled;
    e.units = summed_ ? whole_ : 1;
    add_truth(e);
    if (slice_ <= kExactly) add_passages(e);
    add_terms(e);
    add_tighter(e);
    return e;
  }

 private:
  std::int64_t first() const {
    return element_.cut.empty() ? 0 : element_.coordinates.at(element_.cut);
  }
  GraphSite site_of(std::int64_t first, std::int64_t length) const {
    return {claim_, inputs_, element_, first, length};
  }

  /// The element, or a part of its sum, with 50 digits.
  Real exact(std::int64_t first, std::int64_t length) const {
    const GraphSite site = site_of(first, length);
    const ExactBlock block(site.plan(), inputs_, site.block());
    const std::size_t at = site.at(site.plan().values[element_.place]);
    if (!element_.gradient) return block.value(static_cast<int>(element_.place))[at];
    const std::vector<Real>& terms = block.gradient(element_.place);
    Real sum = terms.empty() ? Real(0) : terms[at];
    for (const auto& use : block.uses())
      if (use.tensor == static_cast<int>(element_.place)) sum += use.sums[at].total;
    return sum;
  }

  std::int64_t largest_summand() const {
    Real largest(-1);
    std::int64_t found = 0;
    for (std::int64_t k = 0; k < std::min({whole_, kSummands, kExactly / slice_}); ++k) {
      const Real size = abs(exact(k, 1));
      if (!(size > largest)) continue;
      largest = size;
      found = k;
    }
    return found;
  }

  void add_truth(Explanation& e) const {
    const std::int64_t length = summed_ ? whole_ : 1;
    e.fast_radius = e.radius = e.ruled.radius;
    e.fast_decided = e.fast_agrees = !asked_.escalated;
    if (length * slice_ > kExactly) {
      e.truth = Real(Real(e.ruled.hi) + Real(e.ruled.lo)).str(30);
      return;
    }
    const Real number = exact(summed_ ? 0 : first(), length);
    e.truth = number.str(30);
    e.fifty_digits = true;
    e.radius = rounding().of(number, {e.ruled.bound, false, false}).radius;
    if (asked_.escalated) return;
    const Real off = abs(Real(number - Real(e.ruled.hi) - Real(e.ruled.lo)));
    e.fast_agrees = off <= Real(e.fast_radius) + Real(e.radius);
  }

  StoredRounding rounding() const { return TargetRoundings(claim_).of(asked_.target); }

  /// The steps that take a value.
  std::vector<std::string> uses_of(const GraphPlan& plan, std::size_t place) const {
    std::vector<std::string> names;
    for (const PlanStep& s : plan.steps)
      if (std::find(s.operands.begin(), s.operands.end(), static_cast<int>(place)) !=
          s.operands.end())
        names.push_back(s.step->value);
    return names;
  }

  std::string formula_of_cotangent(const GraphPlan& plan, std::size_t place) const {
    const bool given = has_name(plan.graph->outputs, plan.values[place].name);
    const std::vector<std::string> uses = uses_of(plan, place);
    if (uses.empty()) return given ? "input" : "";
    return fmt::format("{}adjoint of {}", given ? "input and " : "", fmt::join(uses, ", "));
  }

  void add_passages(Explanation& e) const {
    const GraphSite site = site_of(summed_ ? largest_summand() : first(), 1);
    e.unit = element_.cut.empty()
                 ? "the whole graph in one block"
                 : fmt::format("{} {} of {}", element_.cut, site.block().block.first, whole_);
    const StepBounds<F> bounds(claim_, element_, site);
    auto permitted = bounds.permitted();
    auto truths = trail_of(site, TruthArithmetic<PlainFunctions<Real>>(), element_.gradient);
    if (element_.gradient) {  // of a tensor that several elements meet, the sum of what they give
      truths.cotangents[element_.place] = exact(site.block().block.first, 1);
      permitted[element_.place].second = StepBounds<F>::error_of(bounds.bound(StepBounds<F>::kAll));
    }
    const GraphPlan& plan = site.plan();
    const std::size_t tensors = plan.graph->tensors.size();
    const auto passage = [&](const std::string& name, std::string formula, const Real& truth,
                             double error) {
      return Passage{name, std::move(formula), truth.str(20), truth.convert_to<double>(), error};
    };
    for (std::size_t k = 0; k < plan.values.size(); ++k) {
      if (k < tensors && plan.graph->tensors[k].part == TensorPart::labels) continue;
      e.forward.push_back(passage(site.name_at(plan.values[k]),
                                  k < tensors ? "input" : calls_[k - tensors], truths.values[k],
                                  permitted[k].first));
    }
    if (!element_.gradient) return;
    for (std::size_t k = plan.values.size(); k-- > 0;) {
      const std::string formula = formula_of_cotangent(plan, k);
      if ((k < tensors && k != element_.place) || formula.empty()) continue;
      if (k == element_.place && summed_) continue;  // the site has a part of it alone
      const std::string name = site.name_at(plan.values[k]);
      e.backward.push_back(passage(formula == "input" ? "d" + name : "d_" + name, formula,
                                   truths.cotangents[k], permitted[k].second));
    }
  }

  /// How many numbers along the axis stand for all of a sum.
  std::int64_t sampled() const {
    return summed_ ? std::clamp<std::int64_t>(kSampled / slice_, 1, whole_) : 1;
  }

  void add_tighter(Explanation& e) const {
    const std::int64_t length = sampled();
    if (length * slice_ > kExactly) return;
    const GraphSite site = site_of(summed_ ? 0 : first(), length);
    const double part = static_cast<double>(length) / static_cast<double>(e.units);
    const auto bound_under = [&](const GraphContract& contract) {
      const GraphClaim claim{claim_.graph, claim_.extents, contract};
      const auto found = StepBounds<F>(claim, element_, site).bound(StepBounds<F>::kAll);
      const Permitted permitted{found.total() / part, found.vacuous, found.overflow};
      return rounding().of(Ball{e.ruled.hi, e.ruled.lo, 0}, permitted).bound;
    };
    e.tighter = tighter_contracts(claim_, bound_under(claim_.contract), bound_under);
  }

  /// The bound's parts, the largest first.
  void add_terms(Explanation& e) const {
    const std::int64_t length = sampled();
    const GraphSite site = site_of(summed_ ? 0 : first(), length);
    const StepBounds<F> bounds(claim_, element_, site);
    using Bounds = StepBounds<F>;
    const auto of = [&](int whose) { return Bounds::error_of(bounds.bound(whose)); };
    const double all = of(Bounds::kAll);
    const double none = of(Bounds::kNone);
    const double part = static_cast<double>(summed_ ? length : 1) / static_cast<double>(e.units);
    const double stored = std::max(0.0, e.ruled.bound - all / part) * part;
    if (!std::isfinite(all + stored) || !std::isfinite(e.ruled.bound) || all + stored == 0) return;
    const std::string type(name_of(claim_.contract.accumulation));
    const auto add = [&](double error, std::string words, std::string detail) {
      if (error > 0) e.terms.push_back({std::move(words), std::move(detail), error});
    };
    const int steps = bounds.steps();
    for (int k = 0; k < steps; ++k) {
      const std::string text =
          fmt::format("{} = {}", claim_.graph.steps[static_cast<std::size_t>(k)].value,
                      calls_[static_cast<std::size_t>(k)]);
      add(of(k) - none, text, type);
      if (element_.gradient) add(of(steps + k) - none, "adjoint of " + text, type);
    }
    if (summed_)
      add(of(bounds.sum_alone()) - none, fmt::format("sum over {} {}", whole_, element_.cut), type);
    add(none, "underflow, ties, kinks and thresholds", "");
    const DType type_of_result = claim_.contract.result_dtype(asked_.target);
    if (type_of_result != claim_.contract.accumulation)
      add(stored, fmt::format("storing in {}", name_of(type_of_result)), "");
    double sum = 0;
    for (const Term& term : e.terms) sum += term.share;
    for (Term& term : e.terms) term.share /= sum;
    e.terms_over_bound = sum / (all + stored);
    std::stable_sort(e.terms.begin(), e.terms.end(),
                     [](const Term& a, const Term& b) { return a.share > b.share; });
  }

  const GraphClaim& claim_;
  const Tensors& inputs_;
  const ExplainedElement& asked_;
  GraphElement element_;
  std::int64_t whole_;      ///< numbers along the axis that blocks are cut from
  bool summed_;             ///< the element is a sum over these
  std::int64_t slice_ = 0;  ///< numbers of the graph for each of them
  std::vector<std::string> calls_;
};

}  // namespace

Explanation explain_in_graph(const GraphClaim& claim, const Tensors& inputs,
                             const ExplainedElement& element) {
  if (claim.contract.accumulation == DType::f64)
    return GraphExplainer<Binary64>(claim, inputs, element).explanation();
  return GraphExplainer<Binary32>(claim, inputs, element).explanation();
}

}  // namespace gradproof
