// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

#include "core/graph/contract/declared_contract.h"
#include "judge/graph/graph_run.h"
#include "oracles/graph/judge_graph.h"

namespace gradproof {

/// Runs of more elements than that are judged under no contract that is tried for a sentence alone:
/// each costs as much as the judgement itself.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 16;

/// The tensors of one run of a Case, judged under declarations that its code may have.
class RunUnder {
 public:
  using Found = std::map<std::string, Judged, std::less<>>;

  /// Keeps the run by reference.
  RunUnder(const Case& c, const GraphRun& run, ErrorBound bound);

  const GraphRun& run() const { return run_; }
  /// The run's claim, by the bound that is asked about.
  const GraphClaim& claim() const { return claim_; }
  /// The declared contract; nothing for LibTorch's operators, which have a contract of their own.
  const std::optional<DeclaredContract>& declared() const { return declared_; }

  GraphClaim claim_of(const DeclaredContract& declared) const;
  Found judged(const DeclaredContract& declared, const JudgedTensors& tensors) const;
  Discrepancy discrepancy(const std::string& tensor, const DeclaredContract& declared) const;
  /// True if this element, or one that is made with it, is over its bound under the declaration,
  /// judged by the part of the run that makes them. Where that is the whole run, nothing is judged,
  /// and the answer is false.
  bool fails_at(const std::string& tensor, std::int64_t index,
                const DeclaredContract& declared) const;

 private:
  const GraphRun& run_;
  GraphTypes types_;
  std::optional<DeclaredContract> declared_;
  GraphClaim claim_;
};

/// "77 bounds off", "0.4 of bound", "3 wrong in class"
std::string distance_text(const Discrepancy& d);

}  // namespace gradproof
