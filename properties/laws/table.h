// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "properties/laws/law.h"

namespace gradproof {

/// The part of a kernel's Cases of which a law says anything.
struct LawOfKernel {
  std::string mode;     ///< the only one that it holds in ("train", "eval"); empty: any, or none
  std::string silence;  ///< why it says nothing of any Case; empty: it does
};

/// The law's applicability to the kernel's default Case, in each mode that the kernel has.
LawOfKernel law_of_kernel(const Law& law, const Kernel& kernel);

/// The table of laws by kernels, for reading: a line for each law, then the reasons.
std::vector<std::string> law_table(const Catalog& catalog);

/// The claim of a Case of one of these kernels, or of a graph in braces; the latter is the claim of
/// a user's own kernel whose pipeline is the graph, with forward and backward. Throws UsageError
/// for a Case of neither.
Claim claim_for_laws(const Catalog& catalog, const Case& c);

}  // namespace gradproof
