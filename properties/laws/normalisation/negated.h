// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>
#include <string>

#include "properties/laws/trial.h"

namespace gradproof {

/// With these tensors of other sign, which leave what the norm gives as it is: mean, their
/// gradients and their own values afterwards are negated, and all other results are the same.
/// Rounding to nearest does not see the sign, so this is exact.
void expect_negated(Trial& t, const std::set<std::string>& names);

}  // namespace gradproof
