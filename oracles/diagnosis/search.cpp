// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/parallel.h"
#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/sample.h"

namespace gradproof::diagnosis {
namespace {

/// An explanation of the wrong entries may contradict one right entry in so many.
constexpr std::int64_t kExceptions = 256;
/// Of explanations that fit equally well, so many are named; the others are counted.
constexpr std::size_t kNamed = 3;

/// "A; or: B; or: C; or 2 more"
std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (std::size_t i = 0; i < std::min(all.size(), kNamed); ++i)
    text += (i == 0 ? "" : "; or: ") + all[i];
  if (all.size() > kNamed) text += fmt::format("; or {} more", all.size() - kNamed);
  return text;
}

/// The text where all wrong entries are NaN or infinite, in exactly the columns in which a
/// parameter is 0; empty otherwise.
std::string where_zero(const Question& q, const Overview& overview) {
  if (overview.nonfinite < overview.wrong || target_of(q).shared) return "";
  std::vector<std::string> found;
  for (const ParameterSlot& slot : CompiledPipeline(q.claim).numbers) {
    const Tensor& tensor = get(q.inputs, slot.name);
    if (slot.shared || tensor.numel() != q.claim.cols) continue;
    std::vector<std::int64_t> zeros;
    for (std::int64_t col = 0; col < q.claim.cols; ++col)
      if (tensor.at(col) == 0) zeros.push_back(col);
    if (!zeros.empty() && zeros == overview.columns)
      found.push_back(fmt::format("NaN where {} is 0, and nowhere else: divided by it", slot.name));
  }
  return joined(found);
}

/// Explanations of one rank are about equally simple: those that fit equally well are named
/// together.
enum class Rank { factor, change, round_sum, partial_sum, rounded_sum, misplaced, fitted };

/// All explanations that are tested, in order of simplicity.
class Hypotheses {
 public:
  Hypotheses(const Observation& sample, const std::optional<Observation>& entries) {
    add(factors(sample), Rank::factor);
    if (sample.sound) {
      add(changed_adjoints(sample), Rank::change);
      add(changed_products(sample), Rank::change);
      add(changed_layouts(sample), Rank::change);
      add(changed_numbers(sample), Rank::change);
      add(changed_statistics(sample), Rank::change);
      add(changed_pipelines(sample), Rank::change);
      for (PartialSum& sum : partial_sums(sample))
        hypotheses_.push_back({std::move(sum.explanation),
                               sum.round ? Rank::round_sum : Rank::partial_sum,
                               tested_ + sum.tested,
                               {}});
    }
    add(rounded_sums(sample), Rank::rounded_sum);
    if (entries) add(misplaced(*entries), Rank::misplaced);
    add(proportional(sample), Rank::fitted);
  }

  struct Hypothesis {
    Explanation explanation;
    Rank rank = Rank::factor;
    std::int64_t tested = 0;  ///< how many explanations: this one and the simpler ones
    Fit fit;
  };
  std::vector<Hypothesis> take() { return std::move(hypotheses_); }

 private:
  void add(std::vector<Explanation> more, Rank rank) {
    for (Explanation& one : more) hypotheses_.push_back({std::move(one), rank, ++tested_, {}});
  }

  std::vector<Hypothesis> hypotheses_;
  std::int64_t tested_ = 0;
};

using HypothesisList = std::vector<Hypotheses::Hypothesis>;

/// Fits each explanation to the observation, or to all entries if it predicts only these together.
void measure(HypothesisList& hypotheses, const Observation& observation,
             const std::optional<Observation>& entries) {
  for_each_index(static_cast<std::int64_t>(hypotheses.size()), [&](std::int64_t k) {
    Hypotheses::Hypothesis& hypothesis = hypotheses[static_cast<std::size_t>(k)];
    const Observation& measured_on = hypothesis.explanation.of_whole ? *entries : observation;
    hypothesis.fit.take(measured_on, hypothesis.explanation.predict(measured_on));
  });
}

/// Fits each explanation to all parts of the claim. Each thread holds one part at a time.
void measure_parts(const Question& q, const Overview& overview, HypothesisList& hypotheses) {
  const std::vector<Part> parts = parts_of(q);
  std::vector<std::vector<Fit>> fits(parts.size(), std::vector<Fit>(hypotheses.size()));
  for_each_index(static_cast<std::int64_t>(parts.size()), [&](std::int64_t k) {
    const auto part = static_cast<std::size_t>(k);
    const Observation observation = observation_of(q, overview.answer, parts[part], true);
    for (std::size_t h = 0; h < hypotheses.size(); ++h)
      if (const Explanation& one = hypotheses[h].explanation; !one.of_whole)
        fits[part][h].take(observation, one.predict(observation));
  });
  for (std::size_t h = 0; h < hypotheses.size(); ++h) {
    Hypotheses::Hypothesis& into = hypotheses[h];
    if (into.explanation.of_whole) continue;
    into.fit = {};
    for (const std::vector<Fit>& of_part : fits) into.fit.add(of_part[h]);
  }
}

/// The explanations that fit the sample, fitted to the whole claim.
HypothesisList survivors(const Question& q, const Overview& overview, HypothesisList hypotheses,
                         const Observation& sample) {
  measure(hypotheses, sample, overview.entries);
  std::erase_if(hypotheses, [](const Hypotheses::Hypothesis& hypothesis) {
    return !hypothesis.fit.explains();
  });
  if (!hypotheses.empty() && !is_whole(sample)) measure_parts(q, overview, hypotheses);
  return hypotheses;
}

/// How many entries agree with the prediction: the explained wrong ones; if `everywhere`, less the
/// contradicted right ones.
std::int64_t agreement(const Hypotheses::Hypothesis& hypothesis, bool everywhere) {
  return hypothesis.fit.explained - (everywhere ? hypothesis.fit.contradicted : 0);
}

bool same_rank(const Hypotheses::Hypothesis& a, const Hypotheses::Hypothesis& b) {
  return a.rank == b.rank && a.explanation.coefficients == b.explanation.coefficients;
}

/// The explanations to name. The first one that holds sets the rank. Of that rank, all are named
/// that agree with as many entries as the best one that holds; they need not hold themselves, as
/// chance is ruled out by the best one, except for rounded sums, whose tolerances are their own. An
/// explanation that only narrows the first one down ("..., in the values alone") is left out.
std::vector<const Hypotheses::Hypothesis*> best_of(const HypothesisList& hypotheses,
                                                   bool everywhere, std::int64_t size) {
  const auto fits = [&](const Hypotheses::Hypothesis& hypothesis) {
    const std::int64_t right = size - hypothesis.fit.wrong;
    return hypothesis.fit.explains() &&
           !(everywhere && hypothesis.fit.contradicted * kExceptions > right);
  };
  const auto first = std::find_if(
      hypotheses.begin(), hypotheses.end(), [&](const Hypotheses::Hypothesis& hypothesis) {
        return fits(hypothesis) && hypothesis.fit.holds(hypothesis.tested);
      });
  if (first == hypotheses.end()) return {};
  std::int64_t most = 0;
  for (const Hypotheses::Hypothesis& hypothesis : hypotheses)
    if (same_rank(hypothesis, *first) && fits(hypothesis) &&
        hypothesis.fit.holds(hypothesis.tested))
      most = std::max(most, agreement(hypothesis, everywhere));
  std::vector<const Hypotheses::Hypothesis*> best;
  for (const Hypotheses::Hypothesis& hypothesis : hypotheses) {
    if (!same_rank(hypothesis, *first) || !fits(hypothesis) ||
        agreement(hypothesis, everywhere) < most)
      continue;
    if (hypothesis.rank == Rank::rounded_sum && !hypothesis.fit.holds(hypothesis.tested)) continue;
    const std::string& text = hypothesis.explanation.text;
    if (best.empty() || !text.starts_with(best.front()->explanation.text + ","))
      best.push_back(&hypothesis);
  }
  return best;
}

std::string summary_text(const std::vector<const Hypotheses::Hypothesis*>& best, bool everywhere) {
  const Fit& fit = best.front()->fit;
  std::vector<std::string> all;
  double worst = 0;
  for (const Hypotheses::Hypothesis* hypothesis : best) {
    all.push_back(hypothesis->explanation.text +
                  (everywhere ? "" : ", in the wrong entries alone"));
    if (all.size() <= kNamed) worst = std::max(worst, hypothesis->fit.worst);
  }
  const std::string explains = best.size() == 1 ? "explains" : "each explains";
  if (fit.wrong == 1)
    return fmt::format("{}; {} the wrong entry to {:.2g} of its bound", joined(all), explains,
                       worst);
  const std::string count = fit.explained == fit.wrong
                                ? fmt::format("all {}", fit.wrong)
                                : fmt::format("{} of {}", fit.explained, fit.wrong);
  return fmt::format("{}; {} {} wrong entries to {:.2g} of their bound", joined(all), explains,
                     count, worst);
}

/// The text for entries that hold the bytes of unwritten memory. They were never written, or were
/// computed from padding that wrong strides lead to. The latter is tested against the entries that
/// are right: the same strides must predict these too.
std::string poison_text(const Question& question, const Overview& overview) {
  std::string text = "never written, or computed from memory that nobody wrote";
  if (overview.wrong == question.got.numel()) return text;
  const Observation sample = sample_of(question, overview);
  HypothesisList hypotheses;
  if (sample.sound)
    for (Explanation& one : changed_layouts(sample))
      hypotheses.push_back({std::move(one), Rank::change, 1, {}});
  std::vector<std::string> found;
  for (const Hypotheses::Hypothesis& hypothesis :
       survivors(question, overview, std::move(hypotheses), sample))
    if (hypothesis.fit.explained == hypothesis.fit.wrong && hypothesis.fit.contradicted == 0)
      found.push_back("the padding, if " + hypothesis.explanation.text);
  return found.empty() ? text : text + "; " + joined(found);
}

}  // namespace

std::string explanation_text(const Question& question, const Overview& overview) {
  if (overview.poisoned == overview.wrong) return poison_text(question, overview);
  if (std::string text = where_zero(question, overview); !text.empty()) return text;
  if (overview.most_bits < required_bits(1)) return "";
  const Observation sample = sample_of(question, overview);
  Hypotheses all(sample, overview.entries);
  const HypothesisList left = survivors(question, overview, all.take(), sample);
  for (const bool everywhere : {true, false})
    if (const auto best = best_of(left, everywhere, question.got.numel()); !best.empty())
      return summary_text(best, everywhere);
  return "";
}

}  // namespace gradproof::diagnosis
