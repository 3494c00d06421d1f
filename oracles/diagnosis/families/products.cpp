// SPDX-License-Identifier: Apache-2.0
// Hypotheses about what the gradient of a tensor sums: a cotangent times a value.
#include <algorithm>
#include <cmath>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "oracles/diagnosis/hypotheses.h"
#include "oracles/diagnosis/summed_product.h"

namespace gradproof::diagnosis {
namespace {

/// A factor of the product; without a node it is 1.
struct Factor {
  const Reals* numbers = nullptr;
  std::string text = {};
};

/// The sums of a product, and of the sizes of its terms.
struct ProductSums {
  Reals sums;
  std::vector<double> sizes;
};

ProductSums summed(const SummedProduct& right, const Factor& one, const Factor& other) {
  ProductSums all{Reals(right.count), std::vector<double>(right.count)};
  for (std::size_t i = 0; i < right.places.size(); ++i) {
    LongDouble term = right.sign;
    for (const Factor& factor : {one, other})
      if (factor.numbers != nullptr) term *= (*factor.numbers)[i];
    const auto at = static_cast<std::size_t>(right.places[i]);
    all.sums[at] += term;
    all.sizes[at] += static_cast<double>(std::fabs(term));
  }
  return all;
}

std::string text_of(const Factor& one, const Factor& other) {
  std::vector<std::string> both;
  for (const Factor& factor : {one, other})
    if (factor.numbers != nullptr) both.push_back(factor.text);
  return both.empty() ? "1" : fmt::format("{}", fmt::join(both, " times "));
}

/// The products that may stand in the place of the right one, which comes first.
class Products {
 public:
  Products(const WrongTensor& whole, const SummedProduct& right) : whole_(whole), right_(right) {
    const Factor own{&right.cotangent->cotangent, right.cotangent->cotangent_text};
    const Factor factor =
        right.factor == nullptr ? Factor{} : Factor{&right.factor->value, right.factor->text};
    cotangents_.push_back(own);
    factors_.push_back(factor);
    if (right.factor != nullptr) factors_.emplace_back();
    for (const Node& node : std::views::reverse(whole.nodes->all))
      if (!node.cotangent.empty() && node.axes == right.cotangent->axes && &node != right.cotangent)
        cotangents_.push_back({&node.cotangent, node.cotangent_text});
    cotangents_.emplace_back();
    for (const Node& node : whole.nodes->all)
      if (node.axes == right.cotangent->axes && &node != right.factor)
        factors_.push_back({&node.value, node.text});
    right_text_ = text_of(own, factor);
    right_summed_ = summed(right, own, factor);
    seen_.push_back(right_summed_.sums);
  }

  void add_to(Hypotheses& all) {
    for (const Factor& cotangent : cotangents_)
      for (const Factor& factor : factors_) add(cotangent, factor, all);
  }

 private:
  void add(const Factor& cotangent, const Factor& factor, Hypotheses& all) {
    const ProductSums sums = summed(right_, cotangent, factor);
    if (std::ranges::find(seen_, sums.sums) != seen_.end()) return;
    seen_.push_back(sums.sums);
    const bool without = cotangent.numbers == nullptr && factor.numbers == factors_.front().numbers;
    const std::string text = text_of(cotangent, factor);
    all.push_back(predicted(
        without ? text + " is summed without its cotangent"
                : fmt::format("sums {}, not {}", text, right_text_),
        Rank::way_back, [p = prediction(sums)](const WrongTensor&) { return std::optional(p); }));
    all.back().of_whole = true;
  }

  /// The bound grows as the terms do.
  Prediction prediction(const ProductSums& sums) const {
    Prediction p;
    for (std::size_t i = 0; i < sums.sums.size(); ++i) {
      const double before = right_summed_.sizes[i];
      const double wider = before > 0 ? std::max(1.0, sums.sizes[i] / before) : 1;
      const double size = static_cast<double>(std::fabs(sums.sums[i]));
      p.push_back({sums.sums[i], whole_.entries[i].bound * wider + whole_.unit() * size});
    }
    return p;
  }

  const WrongTensor& whole_;
  const SummedProduct& right_;
  std::vector<Factor> cotangents_;
  std::vector<Factor> factors_;
  std::string right_text_;
  ProductSums right_summed_;
  std::vector<Reals> seen_;
};

}  // namespace

void add_products(const WrongTensor& whole, Hypotheses& all) {
  const std::optional<SummedProduct> right = summed_product(whole);
  if (right) Products(whole, *right).add_to(all);
}

}  // namespace gradproof::diagnosis
