// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/graph/stages.h"
#include "oracles/explain/bound.h"
#include "oracles/explain/explain.h"
#include "oracles/explain/messages.h"
#include "oracles/explain/miniature.h"

namespace gradproof {
namespace {

/// Elements that are evaluated for one bound of a sum over units; at least one unit.
constexpr std::int64_t kElements = 1 << 14;

/// The contract with one source of errors left out. Welford's rule needs a chain of at least 1.
Contract without(Contract contract, Source source) {
  const std::int64_t least = contract.variance == Variance::welford ? 1 : 0;
  for (Reduction& reduction : contract.reductions)
    if (reduction.name == reduction_of(source))
      reduction.chain =
          std::min(reduction.chain, source == Source::statistics ? least : std::int64_t{0});
  if (source == Source::exponential) contract.exp_error = 0;
  if (source == Source::reciprocal_root) contract.rsqrt_error = 0;
  return contract;
}

/// The sources that can be left out of a contract and that reach the site.
std::vector<Source> sources_of(const Claim& claim, const Site& site, bool given) {
  bool norm = false;
  bool takes_exp = false;
  for (const GraphStep& step : claim.chain()) {
    norm = norm || graph_stage(step.stage).is_norm();
    takes_exp = takes_exp || graph_stage(step.stage).takes("exp");
  }
  const bool gradient =
      site.part == Site::Part::input_gradient || site.part == Site::Part::parameter_gradient;
  std::vector<Source> sources;
  if (norm && !(given && gradient)) sources.push_back(Source::statistics);
  if (norm && !(given && gradient)) sources.push_back(Source::reciprocal_root);
  if (gradient) sources.push_back(Source::gradients);
  if (site.summed && claim.groups() > 0) sources.push_back(Source::parameters);
  if (site.shared) sources.push_back(Source::shared);
  if (takes_exp && claim.contract.exp_error > 0) sources.push_back(Source::exponential);
  return sources;
}

/// The terms of one element's bound, in no order. The texts give the sizes of `text_claim`, which
/// is the whole claim where `claim` is a miniature of it.
class Ablation {
 public:
  Ablation(const Claim& claim, const Tensors& inputs, const std::optional<GivenStatistics>& given,
           const TensorSpec& spec, std::int64_t index, const Claim& text_claim)
      : claim_(claim),
        text_claim_(text_claim),
        inputs_(inputs),
        given_(given),
        spec_(spec),
        site_(site_of(claim, spec, index,
                      std::max<std::int64_t>(
                          1, kElements / std::max<std::int64_t>(1, Geometry(claim).unit_size())))) {
  }

  std::vector<Term> terms() {
    const Bounded full = bound_of(claim_);
    const double stored = storage_error(claim_, spec_, full);
    if (full.vacuous || full.overflow || !std::isfinite(full.total() + stored)) return {};
    Claim bare = claim_;
    for (const Source source : sources_of(claim_, site_, given_.has_value())) {
      Claim one = claim_;
      one.contract = without(claim_.contract, source);
      bare.contract = without(bare.contract, source);
      take(source, full, bound_of(one));
    }
    const Bounded rest = bound_of(bare);
    const Bounded roundings = bound_at(bare, inputs_, given_, site_, Underflow::left_out);
    take(Source::underflow, rest, roundings);
    take(Source::rounding, roundings, Bounded{});
    add(Source::storage, kIndependent, stored);
    return std::move(terms_);
  }

 private:
  Bounded bound_of(const Claim& claim) const { return bound_at(claim, inputs_, given_, site_); }

  /// Adds the difference of two bounds, part by part, as terms of the source.
  void take(Source source, const Bounded& with, const Bounded& without) {
    for (std::size_t k = 0; k < with.parts.size(); ++k)
      add(source, k, with.parts[k] - without.parts[k]);
  }

  void add(Source source, std::size_t part, double error) {
    if (!(error > 0)) return;
    Term term = term_of(source, part, text_claim_, spec_);
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

  const Claim& claim_;
  const Claim& text_claim_;
  const Tensors& inputs_;
  const std::optional<GivenStatistics>& given_;
  const TensorSpec& spec_;
  Site site_;
  std::vector<Term> terms_;
};

/// The largest term first; the shares add up to 1.
std::vector<Term> sorted(std::vector<Term> terms) {
  double total = 0;
  for (const Term& term : terms) total += term.share;
  for (Term& term : terms) term.share /= total;
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.share > b.share; });
  return terms;
}

}  // namespace

std::vector<Term> terms_of(const Claim& claim, const Tensors& inputs,
                           const std::optional<GivenStatistics>& given, const std::string& tensor,
                           std::int64_t index) {
  const TensorSpec& spec = claim.tensor(tensor);
  if (spec.dtype == DType::i64) return {};
  return sorted(Ablation(claim, inputs, given, spec, index, claim).terms());
}

std::string largest_term(const Claim& claim, const Tensors& inputs,
                         const std::optional<GivenStatistics>& given, const std::string& tensor,
                         std::int64_t index) {
  const TensorSpec& spec = claim.tensor(tensor);
  if (spec.dtype == DType::i64 || claim.rows() * claim.cols() == 0) return "";
  const Miniature small = miniature_of(claim, inputs, given, spec, index);
  const std::vector<Term> terms = sorted(Ablation(small.claim, small.inputs, small.given,
                                                  small.claim.tensor(tensor), small.index, claim)
                                             .terms());
  if (terms.empty()) return "";
  return fmt::format("{} ({:.0f}%)", terms.front().words, 100 * terms.front().share);
}

}  // namespace gradproof
