// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/ladder/ladder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "judge/graph/ladder/near_contracts.h"
#include "judge/graph/ladder/rung_contracts.h"

namespace gradproof {
namespace {

/// Tensors of more elements are judged under no contract that only names the word they need.
constexpr std::int64_t kMostTried = std::int64_t{1} << 17;

/// The judgements of one tensor on the rungs that it did not pass on.
struct Below {
  Judged fused;              ///< on the first
  const RungContract* rung;  ///< the last one
  Discrepancy discrepancy;   ///< on that
  /// A later one on which one element is over its bound, and the others are not judged yet.
  const RungContract* unsettled = nullptr;
};

class Climb {
 public:
  Climb(const RunUnder& under, JudgedRun& found)
      : under_(under), found_(found), ladder_(ladder_of(under.run().claim, *under.declared())) {}

  void run(bool whole) {
    for (auto& [name, tensor] : found_) {
      if (tensor.judged.discrepancy.bad == 0)
        tensor.rung = ladder_.front().rung;
      else
        below_.emplace(name, Below{tensor.judged, &ladder_.front(), tensor.judged.discrepancy});
    }
    for (std::size_t k = 1; k < ladder_.size() && !below_.empty(); ++k) step_on(ladder_[k]);
    if (whole) settle(all_below());
  }

 private:
  using Texts = std::map<std::string, std::string, std::less<>>;

  JudgedTensors all_below() const {
    JudgedTensors all;
    for (const auto& [name, below] : below_) all.emplace(name, &get(under_.run().got, name));
    return all;
  }

  /// Judges what passed on no rung before. Where the worst element of each tensor is over its bound
  /// by itself, the others wait: most wrong tensors pass on no rung. All are judged together.
  void step_on(const RungContract& rung) {
    JudgedTensors asked = all_below();
    std::erase_if(asked, [&](const auto& tensor) {
      return rung_row(rung.rung).of_gradients_alone &&
             has_name(under_.run().claim.graph.outputs, tensor.first);
    });
    const bool is_wrong = std::ranges::all_of(asked, [&](const auto& tensor) {
      const Discrepancy& before = below_.at(tensor.first).discrepancy;
      return under_.fails_at(tensor.first, before.worst.index, rung.contract);
    });
    if (!is_wrong) {
      settle(asked);
      std::erase_if(asked, [&](const auto& tensor) { return !below_.contains(tensor.first); });
      judge_on(rung, asked);
    } else if (rung_row(rung.rung).is_right) {
      for (const auto& [name, got] : asked) below_.at(name).unsettled = &rung;
    }
  }

  /// Judges these on the last rung on which they wait.
  void settle(const JudgedTensors& tensors) {
    std::map<const RungContract*, JudgedTensors> waiting;
    for (const auto& [name, got] : tensors)
      if (const RungContract* rung = std::exchange(below_.at(name).unsettled, nullptr))
        waiting[rung].emplace(name, got);
    for (const auto& [rung, asked] : waiting) judge_on(*rung, asked);
  }

  void judge_on(const RungContract& rung, const JudgedTensors& asked) {
    if (asked.empty()) return;
    RunUnder::Found passed;
    for (auto& [name, judged] : under_.judged(rung.contract, asked)) {
      if (judged.discrepancy.bad > 0)
        stay_below(name, rung, std::move(judged));
      else if (rung_row(rung.rung).is_right)
        passed.emplace(name, std::move(judged));
      else
        fail(name, rung, judged.discrepancy);
    }
    const Texts differences = differences_of(passed, rung);
    for (auto& [name, judged] : passed) pass(name, rung, std::move(judged), differences.at(name));
  }

  void stay_below(const std::string& name, const RungContract& rung, Judged judged) {
    if (!rung_row(rung.rung).is_right) return;
    Below& below = below_.at(name);
    below.rung = &rung;
    below.discrepancy = judged.discrepancy;
    JudgedTensor& tensor = found_.find(name)->second;
    tensor.judged = std::move(judged);
    tensor.contract = under_.claim_of(rung.contract).contract;
  }

  void pass(const std::string& name, const RungContract& rung, Judged judged,
            const std::string& difference) {
    const Below& below = below_.at(name);
    JudgedTensor& tensor = found_.find(name)->second;
    tensor.judged = std::move(judged);
    tensor.contract = under_.claim_of(rung.contract).contract;
    tensor.rung = rung.rung;
    tensor.doubt = doubt_of(rung, tensor.judged, below.fused);
    tensor.judged.why += fmt::format("; it declares nothing, and {}: {} on rung '{}'", difference,
                                     distance_text(below.discrepancy), name_of(below.rung->rung));
    below_.erase(name);
  }

  void fail(const std::string& name, const RungContract& rung, const Discrepancy& wide) {
    JudgedTensor& tensor = found_.find(name)->second;
    tensor.rung = rung.rung;
    tensor.judged.why +=
        fmt::format("; it would pass {} ({})",
                    contract_text(rung, under_.run().claim.contract.storage), distance_text(wide));
    below_.erase(name);
  }

  /// A sentence that says why the bound is wide, where that of fused code would have been narrow.
  std::string doubt_of(const RungContract& rung, const Judged& wide, const Judged& fused) const {
    Discrepancy narrow = fused.discrepancy;
    narrow.bad = 0;
    const GraphContract& contract = under_.run().claim.contract;
    if (!rung.contract.stores_each_value() || judge(wide).outcome != Outcome::mistrusted ||
        judge(narrow).outcome != Outcome::passed)
      return "";
    return fmt::format(
        "; it declares nothing, so each value and each step of a sum may be rounded to {}: sums of "
        "fewer terms, or its contract, narrow the bound",
        name_of(contract.storage));
  }

  /// The words in which each tensor needs the rung; if no word alone makes it fail, or the
  /// run is too large to try them, each that it may be.
  Texts differences_of(const RunUnder::Found& passed, const RungContract& rung) const {
    std::map<const RungContract*, JudgedTensors> by_rung;  // the last that they did not pass on
    for (const auto& [name, judged] : passed)
      by_rung[below_.find(name)->second.rung].emplace(name, &get(under_.run().got, name));
    Texts texts;
    for (const auto& [below, tensors] : by_rung) {
      const std::vector<NearContract> all = narrower_than(rung, *below);
      std::vector<std::string> possible;
      for (const NearContract& less : all) possible.push_back(less.text);
      // A rung that differs in one word alone needs it: the tensors failed on the one below.
      std::map<std::string, std::vector<std::string>, std::less<>> needed;
      if (all.size() > 1 && elements_of(tensors) <= kMostTried)
        for (const NearContract& less : all)
          for (const auto& [name, judged] : under_.judged(less.contract, tensors))
            if (judged.discrepancy.bad > 0) needed[name].push_back(less.text);
      for (const auto& [name, got] : tensors)
        texts[name] = needed.contains(name) ? fmt::format("{}", fmt::join(needed.at(name), " and "))
                                            : fmt::format("{}", fmt::join(possible, " or "));
    }
    return texts;
  }

  static std::int64_t elements_of(const JudgedTensors& tensors) {
    std::int64_t all = 0;
    for (const auto& [name, got] : tensors) all += got->numel();
    return all;
  }

  const RunUnder& under_;
  JudgedRun& found_;
  std::vector<RungContract> ladder_;
  std::map<std::string, Below, std::less<>> below_;
};

}  // namespace

void climb(const RunUnder& under, JudgedRun& found, bool whole) { Climb(under, found).run(whole); }

}  // namespace gradproof
