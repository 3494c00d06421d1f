// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "properties/calibration/calibration.h"

namespace gradproof {

/// What the judge says of tensors that code which declares nothing computed for a Case of a graph,
/// as `gradproof judge` does of tensors in files.
UndeclaredVerdicts judged_undeclared(const Case& c, const Tensors& inputs, const Tensors& got);

}  // namespace gradproof
