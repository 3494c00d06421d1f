// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "kernels/kernel.h"

namespace gradproof {

/// The product of that name: the unit `host` on the executor, the unit `device` on the GPU.
EntryPoints entry_points(const std::string& word);

/// A mutant that is linked in, and the only types it is compiled for.
struct Mutant {
  EntryPoints entry;
  DType dtype;
  DType parameters;
};

/// The mutants of that kernel, by name.
std::map<std::string, Mutant> mutants_of(const std::string& word);

}  // namespace gradproof
