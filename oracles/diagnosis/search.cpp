// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/parallel.h"
#include "oracles/diagnosis/hypotheses/families.h"
#include "oracles/diagnosis/sample.h"

namespace gradproof::diagnosis {
namespace {

/// A right entry in so many may be contradicted by what explains the wrong ones.
constexpr std::int64_t kExceptions = 256;
/// So many explanations that fit equally well are told.
constexpr std::size_t kNamed = 3;

/// What fits as well as the first does; more than three are counted.
std::string joined(const std::vector<std::string>& all) {
  std::string words;
  for (std::size_t i = 0; i < std::min(all.size(), kNamed); ++i)
    words += (i == 0 ? "" : "; or: ") + all[i];
  if (all.size() > kNamed) words += fmt::format("; or {} more", all.size() - kNamed);
  return words;
}

/// NaN in exactly the columns where a parameter is 0, or infinite; empty else.
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

/// Explanations of one rank are about equally simple: of those that fit, none is told alone.
enum class Rank { factor, change, round_sum, partial_sum, rounded_sum, misplaced, fitted };

/// Explanations in order of simplicity.
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
      add(changed_texts(sample), Rank::change);
      for (PartialSum& sum : partial_sums(sample))
        pages_.push_back({std::move(sum.explanation),
                          sum.round ? Rank::round_sum : Rank::partial_sum,
                          tried_ + sum.looked,
                          {}});
    }
    add(rounded_sums(sample), Rank::rounded_sum);
    if (entries) add(misplaced(*entries), Rank::misplaced);
    add(proportional(sample), Rank::fitted);
  }

  struct Hypothesis {
    Explanation explanation;
    Rank rank = Rank::factor;
    std::int64_t tried = 0;  ///< this one and the simpler ones
    Fit fit;
  };
  std::vector<Hypothesis> take() { return std::move(pages_); }

 private:
  void add(std::vector<Explanation> more, Rank rank) {
    for (Explanation& one : more) pages_.push_back({std::move(one), rank, ++tried_, {}});
  }

  std::vector<Hypothesis> pages_;
  std::int64_t tried_ = 0;
};

using Pages = std::vector<Hypotheses::Hypothesis>;

/// What needs all entries at once is measured by them alone.
void measure(Pages& pages, const Observation& evidence, const std::optional<Observation>& entries) {
  for_each_index(static_cast<std::int64_t>(pages.size()), [&](std::int64_t k) {
    Hypotheses::Hypothesis& page = pages[static_cast<std::size_t>(k)];
    const Observation& asked = page.explanation.of_whole ? *entries : evidence;
    page.fit.take(asked, page.explanation.predict(asked));
  });
}

/// The same on all parts, one after the other on each thread.
void measure_parts(const Question& q, const Overview& overview, Pages& pages) {
  const std::vector<Part> parts = parts_of(q);
  std::vector<std::vector<Fit>> fits(parts.size(), std::vector<Fit>(pages.size()));
  for_each_index(static_cast<std::int64_t>(parts.size()), [&](std::int64_t k) {
    const auto part = static_cast<std::size_t>(k);
    const Observation evidence = evidence_of(q, overview.answer, parts[part], true);
    for (std::size_t page = 0; page < pages.size(); ++page)
      if (const Explanation& one = pages[page].explanation; !one.of_whole)
        fits[part][page].take(evidence, one.predict(evidence));
  });
  for (std::size_t page = 0; page < pages.size(); ++page) {
    Hypotheses::Hypothesis& into = pages[page];
    if (into.explanation.of_whole) continue;
    into.fit = {};
    for (const std::vector<Fit>& of_part : fits) into.fit.add(of_part[page]);
  }
}

/// Those that explain the sample, measured on all.
Pages survivors(const Question& q, const Overview& overview, Pages pages,
                const Observation& sample) {
  measure(pages, sample, overview.entries);
  std::erase_if(pages, [](const Hypotheses::Hypothesis& page) { return !page.fit.explains(); });
  if (!pages.empty() && !is_whole(sample)) measure_parts(q, overview, pages);
  return pages;
}

/// How many entries agree, of those that are asked.
std::int64_t agreement(const Hypotheses::Hypothesis& page, bool everywhere) {
  return page.fit.explained - (everywhere ? page.fit.contradicted : 0);
}

bool same_rank(const Hypotheses::Hypothesis& a, const Hypotheses::Hypothesis& b) {
  return a.rank == b.rank && a.explanation.coefficients == b.explanation.coefficients;
}

/// Of the simplest rank at which one holds: those that agree with as many entries as any that
/// holds. Chance was paid for by that one, but where the tolerances are the explanations' own; and
/// what narrows the first one down ("..., in the values alone") says nothing else.
std::vector<const Hypotheses::Hypothesis*> best_of(const Pages& pages, bool everywhere,
                                                   std::int64_t size) {
  const auto fits = [&](const Hypotheses::Hypothesis& page) {
    const std::int64_t right = size - page.fit.wrong;
    return page.fit.explains() && !(everywhere && page.fit.contradicted * kExceptions > right);
  };
  const auto first = std::find_if(
      pages.begin(), pages.end(),
      [&](const Hypotheses::Hypothesis& page) { return fits(page) && page.fit.holds(page.tried); });
  if (first == pages.end()) return {};
  std::int64_t most = 0;
  for (const Hypotheses::Hypothesis& page : pages)
    if (same_rank(page, *first) && fits(page) && page.fit.holds(page.tried))
      most = std::max(most, agreement(page, everywhere));
  std::vector<const Hypotheses::Hypothesis*> best;
  for (const Hypotheses::Hypothesis& page : pages) {
    if (!same_rank(page, *first) || !fits(page) || agreement(page, everywhere) < most) continue;
    if (page.rank == Rank::rounded_sum && !page.fit.holds(page.tried)) continue;
    const std::string& words = page.explanation.words;
    if (best.empty() || !words.starts_with(best.front()->explanation.words + ","))
      best.push_back(&page);
  }
  return best;
}

std::string told(const std::vector<const Hypotheses::Hypothesis*>& best, bool everywhere) {
  const Fit& fit = best.front()->fit;
  std::vector<std::string> all;
  double worst = 0;
  for (const Hypotheses::Hypothesis* page : best) {
    all.push_back(page->explanation.words + (everywhere ? "" : ", in the wrong entries alone"));
    if (all.size() <= kNamed) worst = std::max(worst, page->fit.worst);
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

/// Nobody wrote it; or it was computed from padding, which strides that are not its own lead to.
/// That can be told by where it came out right all the same.
std::string poison_words(const Question& question, const Overview& overview) {
  std::string words = "never written, or computed from memory that nobody wrote";
  if (overview.wrong == question.got.numel()) return words;
  const Observation sample = sample_of(question, overview);
  Pages pages;
  if (sample.sound)
    for (Explanation& one : changed_layouts(sample))
      pages.push_back({std::move(one), Rank::change, 1, {}});
  std::vector<std::string> found;
  for (const Hypotheses::Hypothesis& page : survivors(question, overview, std::move(pages), sample))
    if (page.fit.explained == page.fit.wrong && page.fit.contradicted == 0)
      found.push_back("the padding, if " + page.explanation.words);
  return found.empty() ? words : words + "; " + joined(found);
}

}  // namespace

std::string words_for(const Question& question, const Overview& overview) {
  if (overview.poisoned == overview.wrong) return poison_words(question, overview);
  if (std::string words = where_zero(question, overview); !words.empty()) return words;
  if (overview.most_bits < bits_wanted(1)) return "";
  const Observation sample = sample_of(question, overview);
  Hypotheses book(sample, overview.entries);
  const Pages left = survivors(question, overview, book.take(), sample);
  for (const bool everywhere : {true, false})
    if (const auto best = best_of(left, everywhere, question.got.numel()); !best.empty())
      return told(best, everywhere);
  return "";
}

}  // namespace gradproof::diagnosis
