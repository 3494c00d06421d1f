// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/graph/stages.h"

namespace gradproof {

/// The options of a drawn step, as the text has them; below(n) is a drawn number below n.
std::vector<std::string> drawn_options(const GraphStage& stage,
                                       const std::function<std::uint64_t(std::uint64_t)>& below);

}  // namespace gradproof
