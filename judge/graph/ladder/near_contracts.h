// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/graph/contract/declared_contract.h"
#include "core/tensor/tensor.h"
#include "judge/graph/ladder/rung_contracts.h"
#include "oracles/graph/graph_claim.h"

namespace gradproof {

/// A declaration that differs a little from another one.
struct NearContract {
  std::string text;  ///< how a sentence names it
  DeclaredContract contract;
};

/// The word that permits it: "under stored=saved"; on the last rung also what is rounded then.
std::string contract_text(const RungContract& rung, DType storage);

/// Declarations under which code of this one would be judged by a wider bound: without one of its
/// words; on a wider rung; with forms that are not usual. Only rungs are wider by any number of
/// bounds, and `is_near` asks for the others. With `of_8_bits` sums as tensor cores add products of
/// such numbers are among them, which are wider by any number too.
std::vector<NearContract> wider_contracts(const GraphClaim& claim, const DeclaredContract& declared,
                                          bool is_near, bool of_8_bits);

/// True if some product takes two tensors whose numbers have four significant bits or fewer, as
/// those of 8-bit types have.
bool multiplies_8_bits(const Graph& graph, const Tensors& inputs);

/// Words that the declaration lacks and that make its bound smaller: nothing is read rounded, roots
/// and quotients are correctly rounded, sums are trees, a part is formed as the truth is.
std::vector<std::string> narrower_words(const GraphClaim& claim, const DeclaredContract& declared);
/// The declaration with these words more.
DeclaredContract with_words(const Graph& graph, const DeclaredContract& declared,
                            const std::vector<std::string>& words);

/// The abilities that code on the rung has and code on a lower one has not; each contract has one
/// of its words as the lower rung has it. "rounds between its steps", "its functions are not the
/// usual ones".
std::vector<NearContract> narrower_than(const RungContract& rung, const RungContract& below);

}  // namespace gradproof
