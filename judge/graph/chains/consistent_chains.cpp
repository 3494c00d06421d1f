// SPDX-License-Identifier: Apache-2.0
#include "judge/graph/chains/consistent_chains.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "judge/graph/chains/graph_sums.h"
#include "judge/graph/ladder/run_under.h"

namespace gradproof {
namespace {

/// Holds for one tensor a chain that is too short and one that is long enough.
class Bracket {
 public:
  explicit Bracket(std::int64_t most) : most_(most), passes_(most) {}

  /// For up to three numbers every order has the same chain, so there is nothing to find.
  bool has_choice() const { return most_ > least(); }
  bool is_done() const {
    constexpr std::int64_t kParts = 8;
    if (fails_ == 0) return passes_ == least();
    return passes_ - fails_ <= std::max<std::int64_t>(1, fails_ / kParts);
  }
  /// The next chain to try: the least at first, then twice what is too short, at most the middle.
  std::int64_t next() const {
    return fails_ == 0 ? least() : std::min(2 * fails_, fails_ + (passes_ - fails_) / 2);
  }
  void take(std::int64_t chain, bool passes) { (passes ? passes_ : fails_) = chain; }
  SumChain chain() const { return {ChainSource::consistent, passes_, most_}; }

 private:
  /// The least chain: no tree of `most` additions is flatter.
  std::int64_t least() const { return std::bit_width(static_cast<std::uint64_t>(most_)); }

  std::int64_t most_;
  std::int64_t fails_ = 0;
  std::int64_t passes_;
};

/// The key of one judgement: tensors of one contract are judged with one chain.
struct Question {
  std::string declared;
  std::int64_t chain = 0;
  friend auto operator<=>(const Question&, const Question&) = default;
};

class Search {
 public:
  Search(const GraphRun& run, const JudgedRun& judged) : run_(run), judged_(judged) {
    for (const auto& [name, tensor] : judged) {
      if (tensor.judged.discrepancy.bad > 0 && tensor.improbable.empty()) continue;
      const Bracket bracket(most_of(name));
      if (bracket.has_choice()) brackets_.emplace(name, bracket);
    }
  }

  SumChains run() {
    for (auto open = questions(); !open.empty(); open = questions())
      for (const auto& [question, tensors] : open) ask(question.chain, tensors);
    SumChains found;
    for (const auto& [name, bracket] : brackets_) found.emplace(name, bracket.chain());
    return found;
  }

 private:
  GraphClaim claim_of(std::string_view tensor) const {
    GraphClaim claim = run_.claim;
    claim.contract = judged_.find(tensor)->second.contract;
    return claim;
  }

  /// The number of additions of the longest sum in any order behind the tensor.
  std::int64_t most_of(std::string_view tensor) const {
    std::int64_t most = 0;
    for (const GraphSum& sum : sums_behind(claim_of(tensor), tensor))
      if (sum.is_open()) most = std::max(most, sum.order.chain_of(sum.length));
    return most;
  }

  std::map<Question, JudgedTensors> questions() const {
    std::map<Question, JudgedTensors> open;
    for (const auto& [name, bracket] : brackets_)
      if (!bracket.is_done())
        open[{judged_.find(name)->second.contract.declared, bracket.next()}].emplace(
            name, &get(run_.got, name));
    return open;
  }

  void ask(std::int64_t chain, const JudgedTensors& tensors) {
    GraphClaim claim = claim_of(tensors.begin()->first);
    claim.contract = with_open_sums(claim, {SumOrder::Kind::chain, chain});
    claim.contract.bound = ErrorBound::certain;
    for (const auto& [name, found] :
         judge_graph(claim, run_.inputs, tensors, {.known = run_.known.get()}))
      brackets_.at(name).take(chain, found.discrepancy.bad == 0);
  }

  const GraphRun& run_;
  const JudgedRun& judged_;
  std::map<std::string, Bracket, std::less<>> brackets_;
};

}  // namespace

SumChains consistent_chains(const Case& c, const GraphRun& run, const JudgedRun& judged) {
  if (!declared_of(c)) return {};
  std::int64_t elements = 0;
  for (const auto& [name, got] : run.got) elements += got.numel();
  if (elements > kMostElements) return {};
  return Search(run, judged).run();
}

}  // namespace gradproof
