// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "kernels/kernel.h"

namespace gradproof {

/// The kernels of the catalog with the units that count their additions, in float32.
Catalog counted_catalog(const Catalog& catalog);

}  // namespace gradproof
