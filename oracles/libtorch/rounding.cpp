// SPDX-License-Identifier: Apache-2.0
#include "oracles/libtorch/rounding.h"

#include <cmath>
#include <optional>
#include <string>
#include <tuple>

#include <ATen/ATen.h>

#include "core/graph/grid.h"

namespace gradproof {
namespace {

/// The type of LibTorch that has these numbers; none for a rounding that no cast makes.
std::optional<at::ScalarType> cast_of(const GraphStep& s) {
  const std::string type = s.word(kToType);
  if (s.word(kTies) != "even") return std::nullopt;
  if (type == "f8e4m3") return at::kFloat8_e4m3fn;
  if (type == "f8e5m2") return at::kFloat8_e5m2;
  if (type == "bf16") return at::kBFloat16;
  if (type == "f16") return at::kHalf;
  return std::nullopt;
}

}  // namespace

at::Tensor rounded_to_type(const GraphStep& s, const at::Tensor& x) {
  const Grid grid = grid_of(s);
  const bool saturates = s.word(kOverflow) == "saturate";
  const bool is_double = x.scalar_type() == at::kDouble;
  // A limit may lie beyond the range of x's own type.
  const at::Tensor wide = x.detach().to(is_double ? at::kDouble : at::kFloat);
  const auto within = [&](const at::Tensor& t) { return t.clamp(-grid.lowest, grid.largest); };
  // A cast from float64 rounds to float32 first.
  if (const auto type = cast_of(s); type && !is_double)
    return (saturates ? within(wide) : wide).to(*type).to(x.scalar_type());
  const at::Tensor power =
      (std::get<1>(at::frexp(wide)) - 1).clamp_min(grid.least) - (grid.digits - 1);
  const at::Tensor whole = at::ldexp(wide, -power);
  const at::Tensor rounded =
      grid.ties_away ? (whole.abs() + 0.5).floor() * whole.sign() : at::round(whole);
  const at::Tensor number = at::ldexp(rounded, power);
  const at::Tensor beyond = number.gt(grid.largest).logical_or(number.lt(-grid.lowest));
  const at::Tensor limited = within(number);
  if (std::isfinite(grid.beyond)) return limited.to(x.scalar_type());
  return limited.masked_fill(beyond, grid.beyond).copysign(number).to(x.scalar_type());
}

}  // namespace gradproof
