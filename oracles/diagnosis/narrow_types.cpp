// SPDX-License-Identifier: Apache-2.0
#include "oracles/diagnosis/narrow_types.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/graph/grid.h"
#include "core/tensor/dtype.h"

namespace gradproof::diagnosis {
namespace {

/// TF32 has the exponents of float32 and 11 bits; nothing else in the tree needs its rounding.
double to_tf32(double value) {
  const auto number = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  bits = (bits + 0xFFF + ((bits >> 13) & 1)) & ~std::uint32_t{0x1FFF};
  float rounded = 0;
  std::memcpy(&rounded, &bits, sizeof rounded);
  return std::isfinite(number) ? rounded : number;
}

}  // namespace

std::span<const NarrowType> narrow_types() {
  static const std::array<NarrowType, 6> types{{
      {"f32", 24, underflow_unit(DType::f32), [](double v) { return round_to(DType::f32, v); }},
      {"f16", 11, underflow_unit(DType::f16), [](double v) { return round_to(DType::f16, v); }},
      {"f16", 11, 0x1p-137, to_tf32, ", with the exponents of float32 (TF32)"},
      {"bf16", 8, underflow_unit(DType::bf16), [](double v) { return round_to(DType::bf16, v); }},
      {"f8e4m3", 4, 0x1p-10, [](double v) { return grid_named("f8e4m3").nearest(v); }},
      {"f8e5m2", 3, 0x1p-17, [](double v) { return grid_named("f8e5m2").nearest(v); }},
  }};
  return types;
}

}  // namespace gradproof::diagnosis
