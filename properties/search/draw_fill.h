// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/case/draw.h"

namespace gradproof {

/// Random bits of the seed and this name: the same on every machine.
RandomBits random_bits(std::uint64_t seed, const std::string& name);

/// A fill, each kind equally often (`every` with and without a start is one), with numbers from far
/// below to far above the sizes that are usual, or one of those beside them.
std::string draw_fill(const Key& key, const RandomBits& next,
                      const std::vector<double>& beside = {});

}  // namespace gradproof
