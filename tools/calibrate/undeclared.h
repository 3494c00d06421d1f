// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "properties/calibration/calibration.h"

namespace gradproof {

/// The judge's verdicts on tensors that code which declares nothing computed for a Case of a graph,
/// as `gradproof judge` gives them on tensors in files.
UndeclaredVerdicts judged_undeclared(const Case& c, const Tensors& inputs, const Tensors& got);

}  // namespace gradproof
