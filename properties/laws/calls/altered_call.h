// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "properties/laws/trial.h"

namespace gradproof {

enum class Pass { forward, backward };

/// Expects the kernel's entry point to refuse the Case's call after `alter` with a UsageError.
void expect_refused(Trial& t, Pass pass, const std::string& what,
                    const std::function<void(Call&)>& alter);
/// Expects the entry point to refuse a call that lacks the tensor.
void expect_refused_without(Trial& t, Pass pass, const std::string& tensor);

}  // namespace gradproof
