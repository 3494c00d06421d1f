// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "kernels/kernel.h"

namespace gradproof {

/// The kernel of that name: the unit `host` on the executor, the unit `device` on the GPU. Throws
/// InstrumentError for a name that is not linked in.
EntryPoints entry_points(const std::string& word);

}  // namespace gradproof
