// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/case/case.h"

namespace gradproof {

/// A source of random numbers: 64 fresh bits a call.
using RandomBits = std::function<std::uint64_t()>;

/// A text that the key takes: one of its samples, else a hard extent (0, 1, 2, 3, numbers around
/// powers of two), a hard number or one of its words; giant layouts are rare.
std::string draw_text(const Key& key, const RandomBits& next);

/// Draws a Case that a schema allows: each key that is no setting keeps its default or has a drawn
/// text, half and half; only small matrices have giant layouts. `pinned` fixes keys ("mode=train").
/// Throws InstrumentError where the schema refuses every Case that was drawn.
Case draw_case(const SchemaPtr& schema, const std::vector<std::string>& pinned,
               const RandomBits& next);

/// The Case with dense memory in place of giant layouts.
Case without_giants(Case c);

}  // namespace gradproof
