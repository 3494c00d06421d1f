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

/// A text that the key takes: one of its samples, else a hard extent (0, 1, 2, 3, around powers of
/// two), a hard number or one of its words; a giant layout seldom.
std::string draw_text(const Key& key, const RandomBits& next);

/// Any Case that a schema allows: each key that is no setting keeps its default or has a drawn
/// text, half and half; giant layouts only of small matrices. `pinned` fixes keys ("mode=train").
/// Throws InstrumentError where the schema refuses all that was drawn.
Case draw_case(const SchemaPtr& schema, const std::vector<std::string>& pinned,
               const RandomBits& next);

/// The Case with dense memory in place of giant layouts.
Case without_giants(Case c);

}  // namespace gradproof
