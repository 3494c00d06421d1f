// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/parallel.h"
#include "oracles/diagnosis/hypotheses/hypotheses.h"
#include "oracles/diagnosis/overview.h"

namespace gradproof::diagnosis {
namespace {

/// An explanation of the wrong entries may contradict one right entry in so many.
constexpr std::int64_t kExceptions = 256;
/// Of explanations that fit equally well, so many are named; the others are counted.
constexpr std::size_t kNamed = 3;

using HypothesisList = std::vector<Hypothesis>;

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

/// Fits each hypothesis to the sample, or to all entries if it predicts only these together.
void measure(HypothesisList& hypotheses, const Observation& sample, const Overview& overview) {
  const Question& question = *sample.replay.question;
  const Observation whole{sample.target, Replay(question, {}), overview.entries, {}, {}, {}, false};
  for_each_index(static_cast<std::int64_t>(hypotheses.size()), [&](std::int64_t k) {
    Hypothesis& hypothesis = hypotheses[static_cast<std::size_t>(k)];
    const Observation& e = hypothesis.is_of_whole() ? whole : sample;
    hypothesis.fit.take(e.entries, hypothesis.predict(e));
  });
}

/// Fits each hypothesis to all parts of the claim. Each thread holds one part at a time.
void measure_parts(const Question& q, const Overview& overview, HypothesisList& hypotheses) {
  const std::vector<Part> parts = parts_of(q);
  std::vector<std::vector<Fit>> fits(parts.size(), std::vector<Fit>(hypotheses.size()));
  for_each_index(static_cast<std::int64_t>(parts.size()), [&](std::int64_t k) {
    const ThreadLimit alone(1);
    const auto part = static_cast<std::size_t>(k);
    const Observation e = observation_of(q, overview.answer, parts[part]);
    for (std::size_t h = 0; h < hypotheses.size(); ++h)
      if (!hypotheses[h].is_of_whole()) fits[part][h].take(e.entries, hypotheses[h].predict(e));
  });
  for (std::size_t h = 0; h < hypotheses.size(); ++h) {
    if (hypotheses[h].is_of_whole()) continue;
    hypotheses[h].fit = {};
    for (const std::vector<Fit>& of_part : fits) hypotheses[h].fit.add(of_part[h]);
  }
}

/// The hypotheses that fit the sample, fitted to the whole claim.
HypothesisList survivors(const Overview& overview, HypothesisList hypotheses,
                         const Observation& sample) {
  measure(hypotheses, sample, overview);
  std::erase_if(hypotheses, [](const Hypothesis& one) { return !one.fit.explains(); });
  const Question& q = *sample.replay.question;
  const bool whole = sample.replay.rows() * sample.replay.cols() == q.claim.rows * q.claim.cols;
  if (!hypotheses.empty() && !whole) measure_parts(q, overview, hypotheses);
  return hypotheses;
}

/// How many entries agree with the prediction: the explained wrong ones; if `everywhere`, less the
/// contradicted right ones.
std::int64_t agreement(const Hypothesis& one, bool everywhere) {
  return one.fit.explained - (everywhere ? one.fit.contradicted : 0);
}

bool same_rank(const Hypothesis& a, const Hypothesis& b) {
  return a.rank == b.rank && a.coefficients == b.coefficients;
}

/// The hypotheses to name. The first one that holds sets the rank. Of that rank, all are named that
/// agree with as many entries as the best one that holds; they need not hold themselves, as chance
/// is ruled out by the best one, except for rounded sums, whose tolerances are their own. One that
/// only narrows the first one down ("..., in the values alone") is left out.
HypothesisList best_of(const HypothesisList& hypotheses, bool everywhere, std::int64_t size) {
  HypothesisList fitting;
  for (const Hypothesis& one : hypotheses)
    if (one.fit.explains() &&
        !(everywhere && one.fit.contradicted * kExceptions > size - one.fit.wrong))
      fitting.push_back(one);
  const auto holds = [](const Hypothesis& one) { return one.fit.holds(one.tested); };
  const auto first = std::find_if(fitting.begin(), fitting.end(), holds);
  if (first == fitting.end()) return {};
  std::int64_t most = 0;
  for (const Hypothesis& one : fitting)
    if (same_rank(one, *first) && holds(one)) most = std::max(most, agreement(one, everywhere));
  HypothesisList best;
  for (const Hypothesis& one : fitting) {
    if (!same_rank(one, *first) || agreement(one, everywhere) < most) continue;
    if (one.rank == Rank::rounded_sum && !holds(one)) continue;
    if (best.empty() || !one.text.starts_with(best.front().text + ",")) best.push_back(one);
  }
  return best;
}

std::string summary_text(const HypothesisList& best, bool everywhere) {
  const Fit& fit = best.front().fit;
  std::vector<std::string> all;
  double worst = 0;
  for (const Hypothesis& one : best) {
    all.push_back(one.text + (everywhere ? "" : ", in the wrong entries alone"));
    if (all.size() <= kNamed) worst = std::max(worst, one.fit.worst);
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
  const Observation sample =
      observation_of(question, overview.answer, sample_of(question, overview));
  Hypotheses layouts(sample);
  if (sample.sound) add_changed_layouts(layouts);
  std::vector<std::string> found;
  for (const Hypothesis& one : survivors(overview, layouts.take(), sample))
    if (one.fit.explained == one.fit.wrong && one.fit.contradicted == 0)
      found.push_back("the padding, if " + one.text);
  return found.empty() ? text : text + "; " + joined(found);
}

}  // namespace

std::string explanation_text(const Question& question, const Overview& overview) {
  if (overview.poisoned == overview.wrong) return poison_text(question, overview);
  if (std::string text = where_zero(question, overview); !text.empty()) return text;
  if (overview.most_bits < required_bits(1)) return "";
  const Observation sample =
      observation_of(question, overview.answer, sample_of(question, overview));
  Hypotheses all(sample);
  all.add_all(!overview.entries.empty());
  const HypothesisList left = survivors(overview, all.take(), sample);
  for (const bool everywhere : {true, false})
    if (const auto best = best_of(left, everywhere, question.got.numel()); !best.empty())
      return summary_text(best, everywhere);
  return "";
}

}  // namespace gradproof::diagnosis
