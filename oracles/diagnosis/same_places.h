// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace gradproof::diagnosis {

inline constexpr std::int64_t kNowhere = -1;

/// The element of `other` that lies in the same place as each element of `one`; kNowhere if none
/// does. Both start at the same place of one allocation.
std::vector<std::int64_t> same_places(const Layout& one, Layout other);

}  // namespace gradproof::diagnosis
