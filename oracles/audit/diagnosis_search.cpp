// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "core/parallel.h"
#include "oracles/audit/diagnosis_families.h"
#include "oracles/audit/diagnosis_survey.h"

namespace gradproof::diagnosis {
namespace {

/// Elements of x that an explanation is tried on before it is verified on all.
constexpr std::int64_t kSample = 4096;
/// A right entry in so many may be contradicted by what explains the wrong ones.
constexpr std::int64_t kExceptions = 256;

/// The blocks with the most wrong entries.
std::vector<std::int64_t> sampled_blocks(const Question& q, const Survey& survey) {
  if (target_of(q).shared) return survey.batches.front();
  std::vector<std::pair<std::int64_t, std::int64_t>> ranked;
  for (const auto& [block, count] : survey.by_block) ranked.emplace_back(-count, block);
  std::sort(ranked.begin(), ranked.end());
  const std::int64_t size = std::max<std::int64_t>(1, q.claim.rows * q.claim.block_width());
  std::vector<std::int64_t> blocks;
  for (const auto& [count, block] : ranked)
    if (static_cast<std::int64_t>(blocks.size()) < std::max<std::int64_t>(1, kSample / size))
      blocks.push_back(block);
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

/// NaN in exactly the columns where a parameter is 0, or infinite; empty else.
std::string where_zero(const Question& q, const Survey& survey) {
  if (survey.nonfinite < survey.wrong || target_of(q).shared) return "";
  for (const NumberSlot& slot : Script(q.claim).numbers) {
    const Tensor& tensor = get(q.inputs, slot.name);
    if (slot.shared || tensor.numel() != q.claim.cols) continue;
    std::vector<std::int64_t> zeros;
    for (std::int64_t col = 0; col < q.claim.cols; ++col)
      if (tensor.at(col) == 0) zeros.push_back(col);
    if (!zeros.empty() && zeros == survey.columns)
      return fmt::format("NaN where {} is 0, and nowhere else: divided by it", slot.name);
  }
  return "";
}

/// Explanations in order of simplicity.
class Book {
 public:
  Book(const Evidence& sample, const Evidence* whole) {
    add(factors(sample));
    if (sample.sound) {
      add(changed_adjoints(sample));
      add(changed_products(sample));
      add(changed_layouts(sample));
      add(changed_numbers(sample));
      add(changed_statistics(sample));
      add(changed_texts(sample));
      for (PartialSum& sum : partial_sums(sample))
        pages_.push_back({std::move(sum.explanation), tried_ + sum.looked, {}});
    }
    if (whole != nullptr) add(misplaced(*whole));
    add(proportional(sample));
  }

  struct Page {
    Explanation explanation;
    std::int64_t tried = 0;  ///< this one and the simpler ones
    Fit fit;
  };
  std::vector<Page> take() { return std::move(pages_); }

 private:
  void add(std::vector<Explanation> more) {
    for (Explanation& one : more) pages_.push_back({std::move(one), ++tried_, {}});
  }

  std::vector<Page> pages_;
  std::int64_t tried_ = 0;
};

using Pages = std::vector<Book::Page>;

void measure(Pages& pages, const Evidence& evidence) {
  for_each_index(static_cast<std::int64_t>(pages.size()), [&](std::int64_t k) {
    Book::Page& page = pages[static_cast<std::size_t>(k)];
    page.fit.take(evidence, page.explanation.predict(evidence));
  });
}

/// Those that explain the sample, measured on all.
Pages survivors(const Question& q, const Survey& survey, Pages pages, const Evidence& sample) {
  measure(pages, sample);
  std::erase_if(pages, [](const Book::Page& page) {
    return !page.explanation.of_whole && !page.fit.explains();
  });
  if (sample.scene.columns.size() == static_cast<std::size_t>(q.claim.cols)) return pages;
  for (Book::Page& page : pages) page.fit = {};
  if (survey.whole)
    measure(pages, *survey.whole);
  else
    for (const auto& batch : survey.batches) measure(pages, evidence_of(q, batch));
  return pages;
}

std::string told(const Book::Page& page, bool everywhere) {
  const Fit& fit = page.fit;
  const std::string where = everywhere ? "" : ", in the wrong entries alone";
  if (fit.wrong == 1)
    return fmt::format("{}{}; explains the wrong entry to {:.2g} of its bound",
                       page.explanation.words, where, fit.worst);
  const std::string count = fit.explained == fit.wrong
                                ? fmt::format("all {}", fit.wrong)
                                : fmt::format("{} of {}", fit.explained, fit.wrong);
  return fmt::format("{}{}; explains {} wrong entries to {:.2g} of their bound",
                     page.explanation.words, where, count, fit.worst);
}

/// Nobody wrote it; or it was computed from padding, which strides that are not its own lead to.
/// That can be told by where it came out right all the same.
std::string poison_words(const Question& question, const Survey& survey) {
  std::string words = "never written, or computed from memory that nobody wrote";
  if (survey.wrong == question.got.numel()) return words;
  const Evidence sample = evidence_of(question, sampled_blocks(question, survey));
  Pages pages;
  if (sample.sound)
    for (Explanation& one : changed_layouts(sample)) pages.push_back({std::move(one), 1, {}});
  for (const Book::Page& page : survivors(question, survey, std::move(pages), sample))
    if (page.fit.explained == page.fit.wrong && page.fit.contradicted == 0)
      return fmt::format("{}; the padding, if {}", words, page.explanation.words);
  return words;
}

}  // namespace

std::string words_for(const Question& question, const Survey& survey) {
  if (survey.poisoned == survey.wrong) return poison_words(question, survey);
  if (std::string words = where_zero(question, survey); !words.empty()) return words;
  if (survey.most_bits < bits_wanted(1)) return "";
  const Evidence sample = evidence_of(question, sampled_blocks(question, survey));
  Book book(sample, survey.whole ? &*survey.whole : nullptr);
  const Pages left = survivors(question, survey, book.take(), sample);
  for (const bool everywhere : {true, false})
    for (const Book::Page& page : left) {
      const std::int64_t right = question.got.numel() - page.fit.wrong;
      if (everywhere && page.fit.contradicted * kExceptions > right) continue;
      if (page.fit.holds(page.tried)) return told(page, everywhere);
    }
  return "";
}

}  // namespace gradproof::diagnosis
