// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/case/case.h"
#include "core/case/schema.h"

namespace gradproof {

/// The key `law`: with it a Case checks one law, or all that apply, instead of comparing with the
/// truth. The laws themselves live in properties/, one file each.
Key law_key();

/// The key `calls`: the calls that the law call_sequences makes, as words in order; if it is empty,
/// the law runs a sequence with each word. calls_without_law() refuses the key where law=none.
Key calls_key();
Refusal calls_without_law();

/// True if the Case checks a law instead of comparing with the truth.
inline bool asks_about_law(const Case& c) { return c.schema().has("law") && !c.is("law", "none"); }

/// Throws UsageError for a Case that checks a law, not `what` ("gradients", "elements").
void refuse_law(const Case& c, const std::string& what);

}  // namespace gradproof
