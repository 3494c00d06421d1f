// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gradproof {

/// What lies between x-h and x+h for an argument of a stage: a kink, or an edge of the domain.
enum class Met { nothing, kink, kink_at_x, domain, domain_at_x };

inline bool is_kink(Met met) { return met == Met::kink || met == Met::kink_at_x; }

/// From the pieces (oracles/pipeline/stage.h) in which the argument lies at x, x+h and x-h. An
/// argument that stays on its piece meets nothing, even on a kink.
Met met_by(int rest, int above, int below);

/// "kink: Abs (step 'v1') at element 3 of the unit, within 2^-20"; elements count from 0.
std::string kink_text(Met met, std::string_view stage, std::string_view step, std::size_t element,
                      double move);

}  // namespace gradproof
