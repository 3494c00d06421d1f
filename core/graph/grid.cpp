// SPDX-License-Identifier: Apache-2.0
#include "core/graph/grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradproof {

double Grid::nearest(double v) const {
  if (std::isnan(v)) return v;
  const double most = v < 0 ? lowest : largest;
  double size = std::abs(v);
  if (std::isfinite(size) && size > 0) {
    const double apart = unit(size);
    const double whole = size / apart;
    size = (ties_away ? std::round(whole) : std::nearbyint(whole)) * apart;
  }
  if (size > most) size = std::isfinite(beyond) ? most : beyond;
  return std::copysign(size, v);
}

double Grid::unit(double size) const {
  return std::ldexp(1.0, std::max(std::ilogb(size), least) - (digits - 1));
}

bool Grid::is_middle(double v) const {
  const double size = std::abs(v);
  if (!std::isfinite(size) || size == 0) return false;
  const double whole = size / unit(size);
  return whole - std::floor(whole) == 0.5;
}

namespace {

/// A cast without saturation makes this of a number too large.
double special_of(std::string_view type, const Grid& grid) {
  if (type == "f8e4m3") return std::numeric_limits<double>::quiet_NaN();
  const bool has_infinity = type == "f8e5m2" || type == "bf16" || type == "f16";
  return has_infinity ? std::numeric_limits<double>::infinity() : grid.largest;
}

}  // namespace

Grid grid_named(std::string_view type) {
  constexpr int kWhole = 60;  // digits of a type whose unit is 1 everywhere
  Grid grid;
  if (type == "f8e4m3") grid = {4, -6, 448, 448};
  if (type == "f8e5m2") grid = {3, -14, 57344, 57344};
  if (type == "f4e2m1") grid = {2, 0, 6, 6};
  if (type == "i8") grid = {kWhole, kWhole - 1, 127, 128};
  if (type == "i4") grid = {kWhole, kWhole - 1, 7, 8};
  if (type == "bf16") grid = {8, -126, 0x1.fep127, 0x1.fep127};
  if (type == "f16") grid = {11, -14, 65504, 65504};
  grid.beyond = grid.largest;
  return grid;
}

Grid grid_of(const GraphStep& step) {
  const std::string type = step.word(kToType);
  Grid grid = grid_named(type);
  if (step.word(kOverflow) == "special") grid.beyond = special_of(type, grid);
  grid.ties_away = step.word(kTies) == "away";
  return grid;
}

}  // namespace gradproof
