// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "oracles/audit/choice.h"

namespace gradproof {

/// Differences D(h) and D(2h) of a tensor's numbers in the unit that `losses` stands at, one Entry
/// for each of `places`, or for every place where there are none given. With places the moves are
/// direct.
Values<Entry> unit_pass(Losses& losses, std::size_t tensor, const Rest& rest, const Choice& choice,
                        Method method, const std::vector<std::int64_t>& places = {});

}  // namespace gradproof
