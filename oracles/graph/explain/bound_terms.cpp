// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/explain/bound_terms.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "oracles/graph/explain/term_words.h"

namespace gradproof {
namespace {

/// By step: true if the step takes the tensor of the gradient, or a value that depends on it.
std::vector<bool> behind(const Graph& graph, const std::string& target) {
  std::vector<bool> found;
  std::vector<std::string> reached{tensor_of_gradient(target)};
  for (const GraphStep& s : graph.steps) {
    found.push_back(std::any_of(reached.begin(), reached.end(),
                                [&](const std::string& name) { return s.takes(name); }));
    if (found.back()) reached.push_back(s.value);
  }
  return found;
}

class Division {
 public:
  Division(const BoundOfElement& of, const StepBounds& bounds)
      : of_(of),
        bounds_(bounds),
        words_(of.described, of.target),
        sizes_(of.claim, of.target),
        none_(bounds.of_none(true)) {}

  BoundTerms terms(double stored) {
    const double all = bounds_.all(of_.claim.contract).total() + stored;
    if (!std::isfinite(all) || all == 0) return {};
    const std::size_t steps = of_.claim.graph.steps.size();
    for (std::size_t k = 0; k < steps; ++k) divide({k, false});
    if (of_.element.gradient) divide_adjoints();
    if (of_.element.is_sum())
      add(words_.of_sum(), times(words_.chain_of_sum(), sizes_.chain_of_sum()) *
                               (bounds_.of(2 * steps, of_.claim.contract).sum() - none_.sum()));
    const double without_underflow = bounds_.of_none(false).sum();
    add(words_.of_underflow(), none_.sum() - without_underflow);
    add({"ties, kinks and thresholds", "", 0}, without_underflow);
    const GraphContract& contract = of_.claim.contract;
    const DType type = contract.result_dtype(of_.target);
    if (type != contract.accumulation)
      add({fmt::format("storing in {}", name_of(type)), "", 0}, stored);
    return sorted(all);
  }

 private:
  void divide_adjoints() {
    const std::vector<bool> goes_back = behind(of_.claim.graph, of_.target);
    for (std::size_t k = 0; k < goes_back.size(); ++k)
      if (goes_back[k]) divide({k, true});
  }

  void divide(const StepPlace& place) {
    const std::size_t steps = of_.claim.graph.steps.size();
    const std::size_t position = place.step + (place.adjoint ? steps : 0);
    GraphContract rest = of_.claim.contract;
    ErrorParts left = bounds_.of(position, rest);
    if (left.parts == none_.parts) return;
    const bool given = of_.element.gradient && of_.site.inputs().statistics != nullptr;
    for (const StepSource& source : sources_of(of_.claim, place, of_.target, given)) {
      rest = without(std::move(rest), of_.claim.graph.steps[place.step].value, source);
      const ErrorParts less = at_least_underflow(bounds_.of(position, rest));
      const GraphStep& step = of_.claim.graph.steps[place.step];
      add_parts(
          left, less, [&](const ErrorWay& way) { return words_.of_source(place, source, way); },
          times(words_.chain(step, source), sizes_.chain(step, source)));
      left = less;
    }
    add_parts(left, none_, [&](const ErrorWay& way) { return words_.of_roundings(place, way); });
  }

  /// An inexact function loses more than its roundings near the end of the range; an error below
  /// that of no rounding at all has the term of underflow.
  ErrorParts at_least_underflow(ErrorParts error) const {
    for (std::size_t k = 0; k < error.parts.size(); ++k)
      error.parts[k] = std::max(error.parts[k], none_.parts[k]);
    return error;
  }

  /// A sum's error grows with its chain, which is shorter in a part of a claim.
  static double times(std::int64_t of_whole, std::int64_t of_part) {
    return of_part > 0 ? static_cast<double>(of_whole) / static_cast<double>(of_part) : 1;
  }

  /// The difference of two bounds, part by part, so many times.
  template <class Words>
  void add_parts(const ErrorParts& with, const ErrorParts& without, const Words& words,
                 double times = 1) {
    for (std::size_t k = 0; k < with.parts.size(); ++k)
      if (const double error = with.parts[k] - without.parts[k]; error > 0)
        add(words({k, with.owner}), times * error);
  }

  void add(Term term, double error) {
    if (!(error > 0)) return;
    const auto same = std::find_if(terms_.begin(), terms_.end(), [&](const Term& known) {
      return known.words == term.words && known.detail == term.detail;
    });
    if (same != terms_.end()) {
      same->share += error;
      return;
    }
    term.share = error;
    terms_.push_back(std::move(term));
  }

  BoundTerms sorted(double all) {
    double sum = 0;
    for (const Term& term : terms_) sum += term.share;
    for (Term& term : terms_) term.share /= sum;
    std::stable_sort(terms_.begin(), terms_.end(),
                     [](const Term& a, const Term& b) { return a.share > b.share; });
    return {std::move(terms_), sum / all};
  }

  const BoundOfElement& of_;
  const StepBounds& bounds_;
  TermWords words_;
  TermWords sizes_;  ///< of the claim itself
  ErrorParts none_;
  std::vector<Term> terms_;
};

}  // namespace

BoundTerms terms_of_bound(const BoundOfElement& of, const StepBounds& bounds, double stored) {
  return Division(of, bounds).terms(stored);
}

}  // namespace gradproof
