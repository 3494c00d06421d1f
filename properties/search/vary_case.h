// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/draw.h"

namespace gradproof {

/// Any Case of the schema with these keys, its fill and its seed drawn for a search: each kind of
/// fill equally often, any seed. No giant layout, so that a Case takes milliseconds.
Case draw_for_search(const SchemaPtr& schema, const std::vector<std::string>& pinned,
                     const RandomBits& next);

/// A neighbour of the Case: one of three times another seed, for the largest error of a good choice
/// of keys is a matter of luck too; else one key drawn again, or its number moved a little. Keys
/// that are pinned
/// ("dtype=f16") and settings of the instrument stay. The Case itself where what came is refused or
/// too large. Elements that were set are dropped with the extents that they lay in.
Case varied(const Case& c, const std::vector<std::string>& pinned, const RandomBits& next);

/// Each key that may change as one of the two parents has it, evenly; the first parent where that
/// is refused or too large.
Case crossed(const Case& mother, const Case& father, const std::vector<std::string>& pinned,
             const RandomBits& next);

}  // namespace gradproof
