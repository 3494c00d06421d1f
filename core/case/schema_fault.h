// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/case/schema.h"

namespace gradproof {

/// The reason why no Case can be made of a schema, or an empty string: a word or key that no Case
/// line can hold, a default that its key refuses, a condition or size with a key that is absent or
/// of another type, a divisor that may be 0, no key `seed`. A user's worker gives its own schemas.
std::string fault_of(const Schema& schema);

}  // namespace gradproof
