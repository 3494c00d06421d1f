// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/case/case.h"

namespace gradproof {

/// The word of a Case whose truths and permitted errors stand in a file: a reference's results in a
/// wider type, where no line says what is computed. Its keys: `outputs` and `truth`, files, dtype,
/// name and part_of.
inline constexpr const char* kWitnessed = "witnessed";

SchemaPtr witnessed_schema();

/// The key by which a Case of given tensors names the system that its passes count for.
Key part_of_key();

inline bool is_witnessed_case(const Case& c) { return c.word() == kWitnessed; }

}  // namespace gradproof
