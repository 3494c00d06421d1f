// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "kernels/definition.h"
#include "kernels/kernel.h"

namespace gradproof {

/// A kernel's definition with its pipeline read: keys, refusals, tensors, claim and arguments
/// follow from it.
struct KernelSpec {
  KernelDefinition definition;
  Graph pipeline;
};

/// What a Case line of the kernel may say.
SchemaPtr schema_of(const KernelSpec& spec, const std::map<std::string, Mutant>& mutants);

Claim claim_of(const KernelSpec& spec, const Case& c);

/// The call that a Case asks for.
Call call_of(const KernelSpec& spec, const Case& c);

/// Whether a BatchNorm of this Case takes the batch's own statistics.
bool has_batch_statistics(const Case& c);

}  // namespace gradproof
