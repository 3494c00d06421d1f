// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/judged_run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/graph_case.h"
#include "judge/graph/near_contracts.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof {
namespace {

/// Words that count a step's roundings otherwise are tried within so many bounds alone.
constexpr double kNearBound = 2;

/// A pass of more elements than that looks for no narrower contract: each costs as much as the
/// judgement itself.
constexpr std::int64_t kMostElements = std::int64_t{1} << 16;

/// "77 bounds off"
std::string distance_text(const Discrepancy& d) {
  return std::isfinite(d.max_ratio) ? fmt::format("{:.3g} bounds off", d.max_ratio)
                                    : fmt::format("{} wrong in class", d.wrong_class);
}

/// The tensors of one run under contracts that it may have.
class JudgedUnder {
 public:
  JudgedUnder(const Case& c, const GraphRun& run, ErrorBound bound)
      : run_(run),
        types_(types_of(run.claim.graph, c)),
        declared_(declared_of(c)),
        bound_(bound),
        claim_(bounded(run.claim)) {}

  JudgedRun all() const {
    JudgedRun found;
    for (auto& [name, judged] : judge_graph(claim_, run_.inputs, run_.got))
      found.emplace(name, JudgedTensor{std::move(judged), claim_.contract});
    if (!declared_) return found;
    if (declared_->leaves_rounding_open()) add_narrower_contracts(found);
    for (auto& [name, tensor] : found) {
      if (tensor.judged.discrepancy.bad == 0) continue;
      if (declared_->leaves_rounding_open()) tensor = under_operators(name, tensor.judged);
      add_near_contract(name, tensor.judged);
    }
    return found;
  }

 private:
  using Words = std::vector<std::string>;

  GraphClaim bounded(GraphClaim claim) const {
    claim.contract.bound = bound_;
    return claim;
  }
  GraphClaim claim_of(const DeclaredContract& declared) const {
    GraphClaim claim = run_.claim;
    claim.contract = graph_contract(claim.graph, types_, declared);
    return bounded(std::move(claim));
  }

  JudgedTensor under(const std::string& tensor, const DeclaredContract& declared) const {
    GraphClaim claim = claim_of(declared);
    Judged judged =
        std::move(judge_graph(claim, run_.inputs, JudgedTensors{{tensor, &get(run_.got, tensor)}})
                      .at(tensor));
    return {std::move(judged), std::move(claim.contract)};
  }
  Discrepancy discrepancy(const std::string& tensor, const DeclaredContract& declared) const {
    return under(tensor, declared).judged.discrepancy;
  }

  JudgedTensor under_operators(const std::string& name, const Judged& fused) const {
    JudgedTensor found = under(name, as_operators(run_.claim.contract, *declared_));
    if (found.judged.discrepancy.bad > 0) return found;
    found.judged.why += fmt::format("; it declares nothing, and {}: under {}functions=usual {}",
                                    difference_text(name),
                                    rounds_between(run_.claim.contract) ? "stored=outputs " : "",
                                    distance_text(fused.discrepancy));
    found.doubt = doubt_of(found.judged, fused);
    return found;
  }

  /// A sentence that says why the bound is wide, where that of fused code would have been narrow.
  std::string doubt_of(const Judged& wide, const Judged& fused) const {
    Discrepancy narrow = fused.discrepancy;
    narrow.bad = 0;
    if (!rounds_between(run_.claim.contract) || judge(wide).outcome != Outcome::mistrusted ||
        judge(narrow).outcome != Outcome::passed)
      return "";
    return fmt::format(
        "; it declares nothing, so each value and each step of a sum may be rounded to {}: sums of "
        "fewer terms, or its contract, narrow the bound",
        name_of(run_.claim.contract.storage));
  }

  /// In which of its words a pass as operators differs from a fused kernel; where no word alone
  /// makes it fail, each that it may be.
  std::string difference_text(const std::string& name) const {
    std::vector<std::string> needed, possible;
    for (const NearContract& less : narrower_than_operators(run_.claim.contract, *declared_)) {
      possible.push_back(less.text);
      if (discrepancy(name, less.contract).bad > 0) needed.push_back(less.text);
    }
    if (!needed.empty()) return fmt::format("{}", fmt::join(needed, " and "));
    return fmt::format("{}", fmt::join(possible, " or "));
  }

  /// Each tensor that passes as a fused kernel says which words would have convicted it.
  void add_narrower_contracts(JudgedRun& found) const {
    JudgedTensors passed;
    std::int64_t elements = 0;
    for (const auto& [name, tensor] : found) {
      if (tensor.judged.discrepancy.bad > 0) continue;
      passed.emplace(name, &get(run_.got, name));
      elements += passed.at(name)->numel();
    }
    const Words all = narrower_words(run_.claim, *declared_);
    if (all.empty() || elements > kMostElements) return;
    // No word is narrower than all of them: what passes so passes under each.
    for (const auto& [name, judged] : judged_with(all, passed))
      if (judged.discrepancy.bad == 0) passed.erase(name);
    std::map<std::string, Words, std::less<>> texts;
    for (std::size_t k = 0; k < all.size() && !passed.empty(); ++k)
      for (const auto& [name, judged] : judged_with({all[k]}, passed))
        if (judged.discrepancy.bad > 0)
          texts[name].push_back(narrower_text({all[k]}, judged.discrepancy));
    for (const auto& [name, got] : passed) {
      if (!texts.contains(name)) texts[name] = {fewest_text(name, all)};
      found.at(name).judged.why +=
          fmt::format("; it would fail under {}", fmt::join(texts.at(name), ", "));
    }
  }

  static std::string narrower_text(const Words& words, const Discrepancy& d) {
    return fmt::format("{} ({})", fmt::join(words, " "), distance_text(d));
  }

  /// Where only several words together convict a tensor, those of which none may be left out.
  std::string fewest_text(const std::string& name, Words words) const {
    const JudgedTensors one{{name, &get(run_.got, name)}};
    const auto with = [&](const Words& some) {
      return judged_with(some, one).at(name).discrepancy;
    };
    for (std::size_t k = words.size(); k-- > 0;) {
      Words fewer = words;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      if (with(fewer).bad > 0) words = std::move(fewer);
    }
    return narrower_text(words, with(words));
  }

  std::map<std::string, Judged, std::less<>> judged_with(const Words& words,
                                                         const JudgedTensors& tensors) const {
    return judge_graph(claim_of(with_words(run_.claim.graph, *declared_, words)), run_.inputs,
                       tensors);
  }

  void add_near_contract(const std::string& name, Judged& judged) const {
    if (judged.discrepancy.bad == 0) return;
    std::vector<NearContract> others;
    if (judged.discrepancy.max_ratio <= kNearBound)
      others = wider_contracts(run_.claim, *declared_);
    // A rounded mean moves the values next to it by any number of bounds, so this is always tried.
    if (const auto rounded = with_rounded_statistics(run_.claim, *declared_))
      others.push_back(*rounded);
    for (const NearContract& other : others)
      if (discrepancy(name, other.contract).bad == 0) {
        judged.why += "; it would pass " + other.text;
        return;
      }
  }

  const GraphRun& run_;
  GraphTypes types_;
  std::optional<DeclaredContract> declared_;
  ErrorBound bound_;
  GraphClaim claim_;  ///< of the run, with that bound
};

}  // namespace

JudgedRun judged_by(ErrorBound bound, const Case& c, const GraphRun& run) {
  return JudgedUnder(c, run, bound).all();
}

}  // namespace gradproof
