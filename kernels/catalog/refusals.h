// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "kernels/kernel.h"

namespace gradproof {

/// What may be asked for of the gradients of x and of the parameters: all, x's alone, all but it,
/// and every other choice by name: "x+beta", "weight".
std::vector<std::string> gradient_words(const Graph& pipeline);

/// Whether a text of the key `grads` names this one of several: "x+beta" names x and beta, "all"
/// nobody.
bool is_asked(const std::string& grads, const std::string& name);

/// What a Case of a kernel of that pipeline cannot say. A mutant is compiled for one combination of
/// types.
std::vector<Refusal> refusals_of(const Graph& pipeline,
                                 const std::map<std::string, Mutant>& mutants);

}  // namespace gradproof
