// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/explain_graph.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oracles/graph/blocks/exact_block.h"
#include "oracles/graph/explain/bound_terms.h"
#include "oracles/graph/explain/formulas.h"
#include "oracles/graph/explain/sampled_claim.h"
#include "oracles/graph/explain/stepwise.h"
#include "oracles/graph/explain/tighter_contracts.h"
#include "oracles/graph/target_roundings.h"

namespace gradproof {
namespace {

/// The most numbers of a graph that are evaluated with 50 digits for one explanation.
constexpr std::int64_t kExactly = std::int64_t{1} << 21;
/// The numbers of a graph that are evaluated for one term of a sum's bound, about.
constexpr std::int64_t kSampled = 1 << 14;
/// The number of summands among which the largest is searched.
constexpr std::int64_t kSummands = 64;

class GraphExplainer {
 public:
  /// `claim` is about the target alone.
  GraphExplainer(const GraphClaim& claim, const Tensors& inputs, const Tensors& statistics,
                 const ExplainedElement& asked)
      : claim_(claim),
        inputs_(inputs),
        statistics_(statistics),
        asked_(asked),
        element_(claim, asked.target, asked.index),
        whole_(element_.cut.empty() ? 1 : claim.extents.at(element_.cut)),
        summed_(element_.is_sum() && whole_ > 1) {
    for (const GraphTensor& t : claim.graph.tensors) slice_ += numel(claim.shape_of(t.name));
    for (const GraphStep& s : claim.graph.steps) slice_ += numel(claim.shape_of(s.value));
    slice_ = std::max<std::int64_t>(slice_ / std::max<std::int64_t>(whole_, 1), 1);
  }

  Explanation explanation() const {
    Explanation e;
    e.stored_truth = asked_.stored_truth;
    e.units = summed_ ? whole_ : 1;
    if (element_.is_sum() && whole_ == 0) {
      e.truth = Real(0).str(30);
      e.fifty_digits = e.fast_decided = e.fast_agrees = true;
      return e;
    }
    add_truth(e);
    if (slice_ <= kExactly) add_passages(e);
    add_bound(e);
    return e;
  }

 private:
  std::int64_t first() const {
    const auto known = element_.coordinates.find(element_.cut);
    return known == element_.coordinates.end() ? 0 : known->second;
  }
  GraphSite site_of(std::int64_t first, std::int64_t length) const {
    return {claim_, inputs_, statistics_, element_, first, length};
  }
  StoredRounding rounding() const { return TargetRoundings(claim_).of(asked_.target); }

  /// The element, or a part of its sum, with 50 digits.
  Real exact(std::int64_t first, std::int64_t length) const {
    const GraphSite site = site_of(first, length);
    ExactInputs inputs(inputs_);
    inputs.exact.statistics = site.inputs().statistics;
    const ExactBlock block(site.plan(), inputs, site.block());
    if (element_.statistic)
      return block.statistic(element_.place)[site.at(site.plan().statistics[element_.place])];
    const std::size_t at = site.at(site.plan().values[element_.place]);
    if (!element_.gradient) return block.value(static_cast<int>(element_.place))[at];
    const FieldNumbers<Real>& terms = block.gradient(element_.place);
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
    e.fast_radius = e.radius = e.stored_truth.radius;
    e.fast_decided = e.fast_agrees = !asked_.escalated;
    if (length * slice_ > kExactly) {
      e.truth = Real(Real(e.stored_truth.hi) + Real(e.stored_truth.lo)).str(30);
      return;
    }
    const Real number = exact(summed_ ? 0 : first(), length);
    e.truth = number.str(30);
    e.fifty_digits = true;
    e.radius = rounding().of(number, {e.stored_truth.bound, false, false}).radius;
    if (asked_.escalated) return;
    const Real off = abs(Real(number - Real(e.stored_truth.hi) - Real(e.stored_truth.lo)));
    e.fast_agrees = off <= Real(e.fast_radius) + Real(e.radius);
  }

  static Passage passage(std::string name, std::string formula, const Real& truth, double error) {
    return {std::move(name), std::move(formula), truth.str(20), truth.convert_to<double>(), error};
  }

  void add_passages(Explanation& e) const {
    const GraphSite site = site_of(summed_ ? largest_summand() : first(), 1);
    e.unit = element_.cut.empty()
                 ? "the whole graph in one block"
                 : fmt::format("{} {} of {}", element_.cut, site.block().block.first, whole_);
    const auto bounds = step_bounds(claim_, element_, site);
    ErrorTrail permitted = bounds->trail();
    auto truths = trail_of(site, TruthArithmetic<PlainFunctions<Real>>(), element_.gradient);
    if (element_.gradient) {  // of a tensor that several elements meet, the sum of what they give
      truths.cotangents[element_.place] = exact(site.block().block.first, 1);
      permitted.cotangents[element_.place] = bounds->all(claim_.contract).total();
    }
    const GraphPlan& plan = site.plan();
    for (std::size_t k = 0; k < plan.values.size(); ++k) add_value(e, site, k, truths, permitted);
    for (std::size_t k = plan.values.size(); element_.gradient && k-- > 0;) {
      const bool given = k < plan.graph->tensors.size() && k != element_.place;
      const std::string formula = formula_of_cotangent(claim_, plan.values[k].name);
      if (given || formula.empty()) continue;
      if (k == element_.place && summed_) continue;  // the site has a part of it alone
      const std::string name = site.name_at(plan.values[k]);
      e.backward.push_back(passage(formula == "input" ? "d" + name : "d_" + name, formula,
                                   truths.cotangents[k], permitted.cotangents[k]));
    }
    const bool saved = site.inputs().statistics != nullptr;
    for (std::size_t k = 0; k < plan.statistics.size(); ++k)
      e.statistics.push_back(passage(site.name_at(plan.statistics[k]),
                                     saved ? "as forward saved it, exact here" : "of its group",
                                     truths.statistics[k], permitted.statistics[k]));
  }

  /// Adds a value or a tensor; a parameter or buffer counts as an exact number of the element.
  void add_value(Explanation& e, const GraphSite& site, std::size_t place,
                 const Trail<Real>& truths, const ErrorTrail& permitted) const {
    const Graph& graph = claim_.graph;
    const std::string name = site.name_at(site.plan().values[place]);
    if (place >= graph.tensors.size()) {
      e.forward.push_back(passage(name,
                                  formula_of(claim_, graph.steps[place - graph.tensors.size()]),
                                  truths.values[place], permitted.values[place]));
      return;
    }
    const TensorPart part = graph.tensors[place].part;
    if (part == TensorPart::labels) return;
    const bool runs = is_filled(part) || part == TensorPart::value;
    const char* const what = part == TensorPart::fixed ? "input, fixed" : runs ? "input" : "";
    (runs ? e.forward : e.numbers).push_back(passage(name, what, truths.values[place], 0));
  }

  /// The count of numbers along the axis that stand for all of a sum.
  std::int64_t sampled_length() const {
    return summed_ ? std::clamp<std::int64_t>(kSampled / slice_, 1, whole_) : 1;
  }

  /// Adds the terms of the bound, and the bounds under tighter declarations.
  void add_bound(Explanation& e) const {
    const std::int64_t length = sampled_length();
    const GraphSite site = site_of(summed_ ? 0 : first(), length);
    const auto bounds = step_bounds(claim_, element_, site);
    const double part = static_cast<double>(length) / static_cast<double>(e.units);
    const auto of_all = [&](const GraphContract& contract) {
      const Permitted permitted = bounds->all(contract).permitted(part);
      return rounding().of(Ball{e.stored_truth.hi, e.stored_truth.lo, 0}, permitted).bound;
    };
    const double now = of_all(claim_.contract);
    const double stored = std::max(0.0, now * part - bounds->all(claim_.contract).total());
    if (std::isfinite(e.stored_truth.bound)) {
      BoundTerms found =
          terms_of_bound({claim_, asked_.target, element_, site, claim_}, *bounds, stored);
      e.terms = std::move(found.terms);
      e.terms_over_bound = found.over_bound;
    }
    if (length * slice_ <= kExactly) e.tighter = tighter_contracts(claim_, now, of_all);
  }

  const GraphClaim& claim_;
  const Tensors& inputs_;
  const Tensors& statistics_;
  const ExplainedElement& asked_;
  GraphElement element_;
  std::int64_t whole_;      ///< numbers along the axis that blocks are cut from
  bool summed_;             ///< the element is a sum over these
  std::int64_t slice_ = 0;  ///< numbers of the graph for each of them
};

}  // namespace

Explanation explain_in_graph(const GraphClaim& claim, const Tensors& inputs,
                             const ExplainedElement& element, const Tensors& statistics) {
  const GraphClaim about = claim_about(claim, inputs, element.target);
  return GraphExplainer(about, inputs, statistics, element).explanation();
}

Term largest_term_in_graph(const GraphClaim& claim, const Tensors& inputs,
                           const std::string& target, std::int64_t index,
                           const Tensors& statistics) {
  const GraphClaim about = claim_about(claim, inputs, target);
  const SampledClaim small = sampled(about, inputs, statistics, target, index);
  const GraphElement element(small.claim, target, small.index);
  const auto at = element.coordinates.find(element.cut);
  const bool of_all = at == element.coordinates.end();
  const std::int64_t length =
      of_all && !element.cut.empty() ? small.claim.extents.at(element.cut) : 1;
  const GraphSite site(small.claim, small.inputs, small.statistics, element,
                       of_all ? 0 : at->second, length);
  const auto bounds = step_bounds(small.claim, element, site);
  const ErrorParts all = bounds->all(small.claim.contract);
  const StoredRounding rounding = TargetRoundings(about).of(target);
  const double stored =
      std::max(0.0, rounding.of(Ball{all.value, 0, 0}, all.permitted()).bound - all.total());
  const BoundTerms found =
      terms_of_bound({small.claim, target, element, site, about}, *bounds, stored);
  return found.terms.empty() ? Term() : found.terms.front();
}

}  // namespace gradproof
