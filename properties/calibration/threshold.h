// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/draw.h"
#include "properties/calibration/calibration.h"

namespace gradproof {

/// A Case right where something changes its class. One number of a drawn Case (of fill or of dy) is
/// bisected down to two neighbours in its type, of which one tensor answers the larger with an
/// infinity or NaN and the smaller with none, or the smaller with a subnormal number and the larger
/// with none; or on whose sides the tensor's bound is infinite and finite, or lets 0 pass and not.
/// The number drawn is one of the two, or up to 2^20 numbers away from them. Where nothing changes
/// it is the last that the type has. Sizes stay small: some dozens of results are computed.
Case draw_at_threshold(const CalibrationPlan& plan, std::int64_t number, const RandomBits& next);

}  // namespace gradproof
