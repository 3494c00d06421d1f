// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "kernels/kernel.h"

namespace gradproof {

/// The words of the key `grads`: all gradients, that of x alone, those of all parameters, and every
/// other choice by name, such as "x+beta" or "weight".
std::vector<std::string> gradient_words(const Graph& pipeline);

/// True if a text of the key `grads` lists this name: "x+beta" lists x and beta, "all" lists no
/// name.
bool is_asked(const std::string& grads, const std::string& name);

/// The refusals of Cases of a kernel of that pipeline. A mutant is compiled for one combination of
/// types.
std::vector<Refusal> refusals_of(const Graph& pipeline,
                                 const std::map<std::string, Mutant>& mutants);

}  // namespace gradproof
