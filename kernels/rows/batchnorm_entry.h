// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "kernels/kernel.h"

namespace gradproof {

/// The product: the unit `host` on the executor, the unit `device` on the GPU.
EntryPoints batchnorm_entry();

/// The mutants that are linked in, by name.
std::map<std::string, EntryPoints> batchnorm_mutants();

}  // namespace gradproof
