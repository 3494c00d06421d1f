// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string_view>

namespace gradproof::diagnosis {

/// A type that a number may have been rounded to on the way.
struct NarrowType {
  std::string_view name;
  int precision;
  double underflow;  ///< its largest rounding below the normal numbers
  double (*round)(double);
  std::string_view more = {};  ///< what tells it from another one
};

/// f32, f16, TF32, bf16 and the two of 8 bits, in which a number too large becomes the largest.
std::span<const NarrowType> narrow_types();

}  // namespace gradproof::diagnosis
