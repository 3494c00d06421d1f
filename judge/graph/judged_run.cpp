// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/judged_run.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/graph/ladder/ladder.h"
#include "judge/graph/ladder/near_contracts.h"
#include "judge/graph/ladder/run_under.h"
#include "judge/graph/last_truths.h"

namespace gradproof {
namespace {

/// Words that change how a step's roundings are counted are tried only within so many bounds.
constexpr double kNearBound = 2;

/// Sentences about declarations that the code does not have.
class NearSentences {
 public:
  explicit NearSentences(const RunUnder& under) : under_(under), claim_(under.claim()) {}

  /// Each tensor that passes says which words would have convicted it.
  void add_narrower(JudgedRun& found) const {
    JudgedTensors passed;
    std::int64_t elements = 0;
    for (const auto& [name, tensor] : found) {
      if (tensor.judged.discrepancy.bad > 0) continue;
      passed.emplace(name, &get(under_.run().got, name));
      elements += passed.at(name)->numel();
    }
    // A sum of few elements takes as long as what it is made of.
    for (const auto& [name, input] : under_.run().inputs)
      elements = std::max(elements, input.numel());
    const Words all = narrower_words(claim_, *under_.declared());
    if (passed.empty() || all.empty() || elements > kMostElements) return;
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

  /// A tensor over its bound says what would permit it.
  void add_wider(const std::string& name, Judged& judged) const {
    const bool is_near = judged.discrepancy.max_ratio <= kNearBound;
    const bool of_8_bits = multiplies_8_bits(claim_.graph, under_.run().inputs);
    for (const NearContract& other :
         wider_contracts(claim_, *under_.declared(), is_near, of_8_bits)) {
      if (under_.fails_at(name, judged.discrepancy.worst.index, other.contract)) continue;
      const Discrepancy wide = under_.discrepancy(name, other.contract);
      if (wide.bad > 0) continue;
      judged.why += fmt::format("; it would pass {} ({})", other.text, distance_text(wide));
      return;
    }
  }

 private:
  using Words = std::vector<std::string>;

  static std::string narrower_text(const Words& words, const Discrepancy& d) {
    return fmt::format("{} ({})", fmt::join(words, " "), distance_text(d));
  }

  /// The fewest words, none of which can be left out, that convict a tensor only together.
  std::string fewest_text(const std::string& name, Words words) const {
    const JudgedTensors one{{name, &get(under_.run().got, name)}};
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

  RunUnder::Found judged_with(const Words& words, const JudgedTensors& tensors) const {
    return under_.judged(with_words(claim_.graph, *under_.declared(), words), tensors);
  }

  const RunUnder& under_;
  const GraphClaim& claim_;
};

}  // namespace

Verdict verdict_of(const JudgedTensor& tensor) {
  if (!tensor.improbable.empty()) return {Outcome::improbable, tensor.improbable};
  Verdict verdict = judge(tensor.judged);
  verdict.reason += tensor.doubt;
  return verdict;
}

static JudgedRun judged_under(const Case& c, const GraphClaim& claim, const GraphRun& run) {
  JudgedGraph graph = LastTruths::of_process().judged(c, claim, run);
  JudgedRun found;
  for (auto& [name, judged] : graph.judged)
    found.emplace(name, JudgedTensor{std::move(judged), claim.contract});
  for (auto& [name, truths] : graph.truths)
    if (const auto tensor = found.find(name); tensor != found.end())
      tensor->second.truths = std::move(truths);
  return found;
}

JudgedRun judged_by(ErrorBound bound, const Case& c, const GraphRun& run, Detail detail,
                    bool whole) {
  const RunUnder under(c, run, bound);
  JudgedRun found = judged_under(c, under.claim(), run);
  for (auto& [name, tensor] : found) tensor.bound = bound;
  if (!under.declared()) return found;
  const NearSentences near(under);
  if (under.declared()->leaves_rounding_open()) {
    if (detail != Detail::of_verdicts) near.add_narrower(found);
    climb(under, found, whole);
  }
  if (!whole) return found;
  for (auto& [name, tensor] : found)
    if (tensor.judged.discrepancy.bad > 0 && !tensor.rung) near.add_wider(name, tensor.judged);
  return found;
}

}  // namespace gradproof
