// SPDX-License-Identifier: Apache-2.0
#include "core/graph/grid.h"

#include <algorithm>
#include <array>
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

constexpr double kNoLimit = std::numeric_limits<double>::infinity();
constexpr int kDigitsOfWhole = 60;  // digits of a type whose unit is 1 everywhere

struct GridRow {
  std::string_view type;
  Grid grid;       ///< which saturates
  double special;  ///< what a cast without saturation makes of a number too large
};

constexpr std::array<GridRow, kGridTypes.size()> kGridRows{
    {{"f8e4m3", {4, -6, 448, 448, 448}, std::numeric_limits<double>::quiet_NaN()},
     {"f8e5m2", {3, -14, 57344, 57344, 57344}, kNoLimit},
     {"f4e2m1", {2, 0, 6, 6, 6}, 6},
     {"i8", {kDigitsOfWhole, kDigitsOfWhole - 1, 127, 128, 127}, 127},
     {"i4", {kDigitsOfWhole, kDigitsOfWhole - 1, 7, 8, 7}, 7},
     {"bf16", {8, -126, 0x1.fep127, 0x1.fep127, 0x1.fep127}, kNoLimit},
     {"f16", {11, -14, 65504, 65504, 65504}, kNoLimit}}};

const GridRow& grid_row(std::string_view type) {
  return *std::ranges::find(kGridRows, type, &GridRow::type);
}

}  // namespace

Grid grid_named(std::string_view type) { return grid_row(type).grid; }

Grid grid_of(const GraphStep& step) {
  const GridRow& row = grid_row(step.word(kToType));
  Grid grid = row.grid;
  if (step.word(kOverflow) == "special") grid.beyond = row.special;
  grid.ties_away = step.word(kTies) == "away";
  return grid;
}

}  // namespace gradproof
