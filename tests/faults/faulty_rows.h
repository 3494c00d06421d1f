// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace gradproof {

/// A size that a search and a calibration meet now and then. Alone in its file, since the tests
/// link no kernels and so have no headers of CUDA.
inline constexpr std::int64_t kFaultyRows = 32;

}  // namespace gradproof
