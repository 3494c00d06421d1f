// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "kernels/definition.h"
#include "kernels/kernel.h"

namespace gradproof {

/// A kernel's definition with its pipeline parsed; keys, refusals, tensors, claim and arguments
/// follow from it.
struct KernelSpec {
  KernelDefinition definition;
  Graph pipeline;
};

/// The schema of the kernel's Case lines.
SchemaPtr schema_of(const KernelSpec& spec, const std::map<std::string, Mutant>& mutants);

Claim claim_of(const KernelSpec& spec, const Case& c);

/// The call that the Case asks for.
Call call_of(const KernelSpec& spec, const Case& c);

/// True if a BatchNorm of this Case takes the batch's own statistics.
bool has_batch_statistics(const Case& c);

}  // namespace gradproof
