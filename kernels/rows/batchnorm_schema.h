// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/schema.h"

namespace gradproof {

/// What a Case line of batchnorm_bias_divide_swish may say.
SchemaPtr batchnorm_schema(const std::vector<std::string>& mutants);

}  // namespace gradproof
