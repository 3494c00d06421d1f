// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/ties/tie_shares.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/graph/stages.h"
#include "oracles/graph/ties/tied_numbers.h"

namespace gradproof {
namespace {

using Texts = std::map<std::string, std::string, std::less<>>;
using TruthsByName = std::map<std::string, GraphTruths, std::less<>>;

/// The sums over the elements of a tie (docs/bounds.md, The shares of a tie).
struct SharedSum {
  long double got = 0;
  long double want = 0;
  double bound = 0;
  double least = std::numeric_limits<double>::infinity();  ///< of the bounds from none to all
  double all = 0;                                          ///< the sum of these
  bool is_judged = true;

  bool is_wrong() const { return is_judged && !(std::abs(got - want) <= bound); }
};

class TieShares {
 public:
  TieShares(const GraphClaim& claim, const Tensors& inputs, const JudgedTensors& got)
      : claim_(claim), inputs_(inputs), got_(got) {}

  Texts wrong() {
    const std::vector<Tie> ties = ties_of(claim_, inputs_);
    for (const Tie& tie : ties)
      for (const TiedNumber& number : tie.numbers)
        if (const auto found = got_.find(gradient_of(number)); found != got_.end())
          asked_.insert(*found);
    if (asked_.empty()) return {};
    any_ = truths_of_graph(claim_, inputs_, asked_);
    GraphClaim first = claim_;
    first.first_of_ties = true;
    if (std::any_of(ties.begin(), ties.end(), [](const Tie& tie) { return !tie.made; }))
      first_ = truths_of_graph(first, inputs_, asked_);
    Texts texts;
    for (const Tie& tie : ties)
      if (const SharedSum sum = tie.made ? made_sum_of(tie) : sum_of(tie); sum.is_wrong())
        for (const TiedNumber& number : tie.numbers)
          texts.try_emplace(gradient_of(number), text_of(tie, sum));
    return texts;
  }

 private:
  std::string gradient_of(const TiedNumber& number) const {
    return gradient_name(claim_.graph.tensors[number.tensor].name);
  }

  SharedSum sum_of(const Tie& tie) const {
    SharedSum sum;
    for (const TiedNumber& number : tie.numbers) {
      const std::string name = gradient_of(number);
      sum.is_judged = sum.is_judged && asked_.contains(name);
      if (!sum.is_judged) return sum;
      const auto i = static_cast<std::size_t>(number.index);
      const Truth any = any_.at(name).truths.at(i);
      const Truth first = first_.at(name).truths.at(i);
      const double got = asked_.at(name)->at(number.index);
      sum.is_judged = std::isfinite(any.bound) && std::isfinite(first.bound + first.radius) &&
                      std::isfinite(first.hi) && std::abs(got - any.hi) <= any.bound;
      sum.got += got;
      sum.want += static_cast<long double>(first.hi) + first.lo;
      sum.bound += first.bound + first.radius;
      sum.least = std::min(sum.least, any.bound);
      sum.all += any.bound;
    }
    const double shared = tie.choices == 1 ? 2 * sum.least : sum.all;
    const auto count = static_cast<double>(tie.numbers.size());
    sum.bound += roundings() * shared + count * underflow() + 0x1p-60 * sum.all;
    return sum;
  }

  /// The sum for elements from which steps made tied numbers in the same way, and that get nothing
  /// else: the truth is half of the cotangent times the slopes, and the bound, from none to all, is
  /// at least that whole product and its error. With a share of it each error is smaller.
  SharedSum made_sum_of(const Tie& tie) const {
    SharedSum sum;
    sum.is_judged = tie.choices == 1;
    for (const TiedNumber& number : tie.numbers) {
      const std::string name = gradient_of(number);
      sum.is_judged = sum.is_judged && asked_.contains(name);
      if (!sum.is_judged) return sum;
      const Truth any = any_.at(name).truths.at(static_cast<std::size_t>(number.index));
      const double got = asked_.at(name)->at(number.index);
      sum.is_judged = std::isfinite(any.bound + any.radius) && std::isfinite(any.hi) &&
                      std::abs(got - any.hi) <= any.bound;
      sum.got += got;
      sum.want = 2 * (static_cast<long double>(any.hi) + any.lo);
      const double all = std::abs(static_cast<double>(sum.want));
      sum.bound +=
          any.bound - all + any.radius + roundings() * all + underflow() + 0x1p-50 * any.bound;
    }
    return sum;
  }

  /// The roundings of one share, relative to it: those of the count of ties, a quotient, a product
  /// and an addition in the type that accumulates; if each is stored, as many in that type.
  double roundings() const {
    const GraphContract& c = claim_.contract;
    double stored = unit_roundoff(c.storage);
    for (const auto& [name, type] : c.results) stored = std::max(stored, unit_roundoff(type));
    return (c.functions.division + 3) * unit_roundoff(c.accumulation) + 4 * stored;
  }
  double underflow() const {
    const StoredType type = claim_.contract.result_type("");
    return 4 * (type.underflow + std::numeric_limits<float>::denorm_min());
  }

  /// The text of a wrong sum: "the shares of a tie sum to 2 dy: d_x at [0,3], [0,5]".
  std::string text_of(const Tie& tie, const SharedSum& sum) const {
    constexpr std::size_t kNamed = 3;
    std::string text = fmt::format("the shares of a tie sum to {:.6g} where {:.6g} is right:",
                                   static_cast<double>(sum.got), static_cast<double>(sum.want));
    if (is_alone(tie) && sum.want != 0)
      // The sum with 0 takes the sign of a zero away.
      text = fmt::format("the shares of a tie sum to {:.4g} dy:",
                         static_cast<double>(sum.got / sum.want + 0));
    for (std::size_t k = 0; k < std::min(kNamed, tie.numbers.size()); ++k)
      text += fmt::format(
          "{} {} at {}", k == 0 ? "" : ",", gradient_of(tie.numbers[k]),
          index_text(asked_.at(gradient_of(tie.numbers[k]))->shape(), tie.numbers[k].index));
    if (tie.numbers.size() > kNamed)
      text += fmt::format(" and {} more", tie.numbers.size() - kNamed);
    return text;
  }
  /// True if only one choice gives the tied numbers their gradients.
  bool is_alone(const Tie& tie) const {
    const auto takes_alone = [&](const TiedNumber& number) {
      const GraphTensor& t = claim_.graph.tensors[number.tensor];
      std::int64_t takers = 0;
      for (const GraphStep& s : claim_.graph.steps) {
        if (!s.takes(t.name)) continue;
        const StageForm form = graph_stage(s.stage).form;
        const bool once =
            form == StageForm::elementwise ? s.value_axes == t.axes : form != StageForm::slides;
        takers += once ? 1 : 2;
      }
      return takers == 1;
    };
    return tie.choices == 1 && !tie.made &&
           std::all_of(tie.numbers.begin(), tie.numbers.end(), takes_alone);
  }

  const GraphClaim& claim_;
  const Tensors& inputs_;
  const JudgedTensors& got_;
  JudgedTensors asked_;
  TruthsByName any_;    ///< from none to all
  TruthsByName first_;  ///< all to the first
};

}  // namespace

Texts wrong_tie_shares(const GraphClaim& claim, const Tensors& inputs, const JudgedTensors& got) {
  return TieShares(claim, inputs, got).wrong();
}

}  // namespace gradproof
