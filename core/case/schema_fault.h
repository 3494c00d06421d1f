// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/case/schema.h"

namespace gradproof {

/// Why no Case can be made of a schema, or an empty string: a word or key that a Case line cannot
/// hold, a default that its key refuses, a condition or size of a key that is not there or is of
/// another type, a divisor that may be 0, no key `seed`. A worker of a user says its own schemas.
std::string fault_of(const Schema& schema);

}  // namespace gradproof
