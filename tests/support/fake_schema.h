// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/schema.h"

namespace gradproof {

/// The schema of the fake worker: a system whose key `behave` says what becomes of a Case.
Schema fake_schema();

/// Another system, which has neither modes nor mutants.
Schema plain_schema();

}  // namespace gradproof
