// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "cli/front/options.h"

namespace gradproof {

/// Puts the line of --claim where that of --pipeline stands, and the claim's own keys where the
/// command says none. Throws UsageError for a name that no claim has.
void apply_claim(Options& options);

/// Prints the claims with their lines, keys, contracts and sources.
void print_claims();

}  // namespace gradproof
