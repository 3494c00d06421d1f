// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "core/case/case.h"
#include "core/case/schema.h"

namespace gradproof {

/// The key `law`: with it a Case checks one law, or all that apply, instead of comparing with the
/// truth. The laws themselves live in properties/, one file each.
Key law_key();

/// The key `calls`: what the law call_sequences does, one word after the other; empty: a sequence
/// with each word. Refused where no law is asked for.
Key calls_key();
Refusal calls_without_law();

/// Whether the Case checks a law instead of comparing with the truth.
inline bool asks_about_law(const Case& c) { return c.schema().has("law") && !c.is("law", "none"); }

/// Throws UsageError for a Case that asks about a law, not about `what` ("gradients", "elements").
void refuse_law(const Case& c, const std::string& what);

}  // namespace gradproof
