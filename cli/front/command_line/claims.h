// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "cli/front/options.h"

namespace gradproof {

/// Puts the line of --claim where that of --pipeline stands, and the claim's own keys where the
/// command says none. Throws UsageError for a name that no claim has.
void apply_claim(Options& options);

/// Prints the claims that have one of these texts in their names, all where there is none, with
/// their lines, keys, contracts and sources. Throws UsageError for a text that no name has.
void print_claims(const std::vector<std::string>& texts);

}  // namespace gradproof
