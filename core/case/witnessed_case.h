// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/case.h"

namespace gradproof {

/// The word of a Case whose truths and permitted errors stand in a file: what a reference gave in a
/// wider type, where no line says what is computed. Its keys: `outputs` and `truth`, files, dtype
/// and name.
inline constexpr const char* kWitnessed = "witnessed";

SchemaPtr witnessed_schema();

inline bool is_witnessed_case(const Case& c) { return c.word() == kWitnessed; }

}  // namespace gradproof
