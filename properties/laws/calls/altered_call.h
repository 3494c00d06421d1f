// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "properties/laws/trial.h"

namespace gradproof {

enum class Pass { forward, backward };

/// The kernel's entry point refuses the Case's call after `alter` with a UsageError.
void expect_refused(Trial& t, Pass pass, const std::string& what,
                    const std::function<void(Call&)>& alter);
/// The same of a call that lacks a tensor.
void expect_refused_without(Trial& t, Pass pass, const std::string& tensor);

}  // namespace gradproof
