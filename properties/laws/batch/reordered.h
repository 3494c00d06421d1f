// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "properties/laws/trial.h"

namespace gradproof {

/// The kernel gives the same of inputs in another order, in that order.
void expect_reordered(Trial& t, const PlacesOf& order);

}  // namespace gradproof
