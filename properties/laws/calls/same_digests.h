// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "properties/laws/trial.h"

namespace gradproof {

/// A run under options that `change` makes of the Case's leaves the bits of the Case's own run.
void expect_same_digests(Trial& t, const std::string& when,
                         const std::function<void(simt::Options&)>& change);

}  // namespace gradproof
