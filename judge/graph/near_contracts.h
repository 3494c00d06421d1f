// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/graph/contract/declared_contract.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// A declaration that differs a little from another one.
struct NearContract {
  std::string text;  ///< how a sentence names it
  DeclaredContract contract;
};

/// Whether a value between two steps may be rounded at all.
bool rounds_between(const GraphContract& contract);

/// The same code as an operator at a time, with the functions of any library.
DeclaredContract as_operators(const GraphContract& contract, DeclaredContract declared);

/// The function returns the wider contract in which each norm's mean and 1/std are rounded before
/// they are used. It returns nothing where no step is a norm, where no value is rounded, and where
/// the declaration says what is stored, unless that is each value.
std::optional<NearContract> with_rounded_statistics(const GraphClaim& claim,
                                                    const DeclaredContract& declared);

/// The declaration without one of its words, with all roundings, and with forms that are not usual:
/// "without sums=pairwise", "under stored=all functions=any".
std::vector<NearContract> wider_contracts(const GraphClaim& claim,
                                          const DeclaredContract& declared);

/// Words that the declaration lacks and that make its bound smaller: nothing is read rounded, roots
/// and quotients are correctly rounded, sums are trees, a part is formed as the truth is.
std::vector<std::string> narrower_words(const GraphClaim& claim, const DeclaredContract& declared);
/// The declaration with these words more.
DeclaredContract with_words(const Graph& graph, const DeclaredContract& declared,
                            const std::vector<std::string>& words);

/// What an operator at a time has of that a fused kernel with usual functions has not: one of its
/// words is as before. "rounds between its steps", "its functions are not the usual ones".
std::vector<NearContract> narrower_than_operators(const GraphContract& contract,
                                                  const DeclaredContract& declared);

}  // namespace gradproof
