// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "core/case/case.h"

namespace gradproof {

/// Simpler neighbours of a Case, boldest first: a key back at its default, one element less in
/// `set`, a smaller extent, a smaller seed. None that the schema refuses. Each is smaller by
/// simpler_than, so shrinking ends.
std::vector<Case> shrinks(const Case& c);

/// Order of simplicity: fewer keys that differ from their default (extents and seed apart; each
/// element in `set` counts), then smaller whole numbers, then the default seed, then a smaller one.
bool simpler_than(const Case& a, const Case& b);

/// Goes to a simpler neighbour as long as one still fails, at most `steps` calls of still_fails.
Case shrink(Case failing, const std::function<bool(const Case&)>& still_fails, int steps);

}  // namespace gradproof
