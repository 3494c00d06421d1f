// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gradproof {

/// What an argument of a stage meets between x-h and x+h.
enum class Met { nothing, kink, kink_at_x, domain, domain_at_x };

inline bool is_kink(Met met) { return met == Met::kink || met == Met::kink_at_x; }

/// From where it lies (oracles/pipeline/stage.h) at x, x+h and x-h. What lies on a kink and is not
/// moved off it is not felt.
Met met_by(int rest, int above, int below);

/// "kink: Abs (step 'v1') at element 3 of the unit, within 2^-20", counted from 0.
std::string kink_text(Met met, std::string_view stage, std::string_view step, std::size_t element,
                      double move);

}  // namespace gradproof
