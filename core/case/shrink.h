// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "core/case/case.h"

namespace gradproof {

/// Simpler neighbours of a Case, boldest first: a key back at its default, one element less in
/// `set` or `calls`, a smaller number or seed. The schema allows each, and each is simpler by
/// simpler_than, so shrinking ends.
std::vector<Case> shrinks(const Case& c);

/// The order of simplicity: fewer keys that differ from their default (extents and seed apart; each
/// element of a text key counts), a smaller sum of numbers, then the default seed, a smaller seed.
bool simpler_than(const Case& a, const Case& b);

/// Moves to a simpler neighbour while one still fails, with at most `steps` calls of still_fails.
Case shrink(Case failing, const std::function<bool(const Case&)>& still_fails, int steps);

}  // namespace gradproof
